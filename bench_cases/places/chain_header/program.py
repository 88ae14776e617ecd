"""A loop over two streams, one behind the other."""

import itertools
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
    for item in itertools.chain(items(3), items(3)):
        seen.append(item)
    return {"seen": seen, "reads": reads}
