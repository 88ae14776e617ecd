"""A loop whose header takes batches apart."""

import random


def batches():
    for number in range(5):
        yield make(number)


def make(number):
    return number, random.random()


def main(seed=0):
    random.seed(seed)
    seen = []
    for i, (x, y) in enumerate(batches()):
        seen.append((i, x, y))
    return {"seen": seen}
