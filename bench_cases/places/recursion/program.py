"""A tree that is walked."""

import random

visited = []


def value(path):
    visited.append(path)
    return random.random()


def walk(path, depth):
    if depth == 0:
        return value(path)
    return walk(path + "l", depth - 1) + walk(path + "r", depth - 1)


def main(seed=0):
    random.seed(seed)
    return {"total": walk("", 4), "visited": visited}
