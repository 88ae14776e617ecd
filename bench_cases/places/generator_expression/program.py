"""A sum of losses."""

import random


def loss(n):
    return check(n * random.random())


def check(value):
    return value


def main(seed=0):
    random.seed(seed)
    total = sum(loss(n) for n in range(8))
    return {"total": total}
