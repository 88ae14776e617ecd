"""A stream made of streams."""

import random

reads = []


def read(number):
    reads.append(number)
    return number + random.random()


def shard(first):
    for number in range(first, first + 3):
        yield read(number)
    return first


def shards():
    ends = []
    for first in (0, 10, 20):
        ends.append((yield from shard(first)))
    yield ends


def main(seed=0):
    random.seed(seed)
    return {"seen": list(shards()), "reads": reads}
