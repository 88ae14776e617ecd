"""Counts by key, where keys and amounts are computed once each."""

import random

calls = []


def key(n):
    calls.append(("key", n))
    return "ab"[n % 2]


def amount(n):
    calls.append(("amount", n))
    return random.random()


def main(seed=0):
    random.seed(seed)
    counts = {"a": 1.0, "b": 2.0}
    for n in range(6):
        counts[key(n)] += amount(n)
    return {"counts": counts, "calls": calls}
