"""Features of every word, in one expression."""

import random

calls = []


def feature(word, n):
    calls.append((word, n))
    return random.random()


def main(seed=0):
    random.seed(seed)
    table = {word: [feature(word, n) for n in range(3)] for word in ("a", "b", "c")}
    return {"table": table, "calls": calls}
