"""A search that goes on until it is good enough."""

import random


def improve(state):
    state.append(random.random())
    return check(sum(state))


def check(total):
    return total


def main(seed=0):
    random.seed(seed)
    state, steps = [], 0
    while (total := improve(state)) < 3.0:
        steps += 1
    return {"state": state, "steps": steps, "total": total}
