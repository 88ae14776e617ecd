"""Segmentation: every iteration is one expression."""

import numpy as np


class Batches:
    def __init__(self, n):
        self.n, self.handed_out = n, []

    def __iter__(self):
        return self

    def __next__(self):
        self.handed_out.append(len(self.handed_out))
        return np.random.normal(size=4)


class Trainer:
    def __init__(self):
        self.weights = np.zeros(4)

    def train_step(self, batch):
        batch = check(batch)
        self.weights += 0.1 * batch
        return float(((self.weights - batch) ** 2).mean())

    def run(self, loader, iterations):
        outputs = []
        for _ in range(iterations):
            outputs.append(self.train_step(next(loader)))
        return outputs


def check(batch):
    return batch


def main(seed=0):
    np.random.seed(seed)
    trainer, loader = Trainer(), Batches(10)
    outputs = trainer.run(loader, 10)
    return {"outputs": outputs, "weights": trainer.weights, "batches": loader.handed_out, "loss": outputs[-1]}
