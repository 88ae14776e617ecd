"""A running mean that remembers."""

import random


def running_mean():
    total, count = 0.0, 0

    def add(value):
        nonlocal total, count
        count += 1
        total += weight(value)
        return total / count

    return add


def weight(value):
    return value * 2


def main(seed=0):
    random.seed(seed)
    add = running_mean()
    return {"means": [add(random.random()) for _ in range(6)]}
