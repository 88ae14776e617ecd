"""A loop over an enumerated stream."""

import random

reads = []


def read(number):
    reads.append(number)
    return number + random.random()


def items(n):
    for number in range(n):
        yield read(number)


def main(seed=0):
    random.seed(seed)
    seen = []
    for i, item in enumerate(items(8)):
        seen.append((i, item))
    return {"seen": seen, "reads": reads}
