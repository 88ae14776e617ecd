"""An epoch as one comprehension."""

import numpy as np

taken = []


def batches():
    while True:
        taken.append(len(taken))
        yield np.random.normal(size=4)


def step(batch):
    return float((batch**2).mean())


def main(seed=0):
    np.random.seed(seed)
    it = batches()
    losses = [step(next(it)) for _ in range(10)]
    return {"losses": losses, "taken": taken}
