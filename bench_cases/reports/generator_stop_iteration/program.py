"""A hand-written generator of batches, two epochs."""

import numpy as np


def generate(data):
    it = iter(data)
    while True:
        try:
            row = next(it)
        except StopIteration:
            raise StopIteration
        yield row * 2


def main(seed=0):
    np.random.seed(seed)
    data, losses, ends = np.random.normal(size=(6, 3)), [], 0
    for epoch in range(2):
        for row in generate(data):
            losses.append(float((row**2).mean()))
        ends += 1
    return {"losses": losses, "ends": ends}
