"""Detection training; one row a epoch in results.csv."""

import os

import numpy as np


class Trainer:
    def __init__(self):
        self.weights, self.validated, self.ema = np.zeros(4), 0, 0.0

    def train(self):
        self.weights = self.weights - 0.1 * (self.weights - np.random.normal(size=4))
        return float((self.weights**2).mean())

    def validate(self):
        self.validated += 1
        self.ema = 0.9 * self.ema + 0.1 * float(self.weights.sum())
        return self.ema

    def save_metrics(self, row):
        new = not os.path.exists("results.csv")
        with open("results.csv", "a") as f:
            f.write(("epoch,loss,metric\n" if new else "") + ",".join(map(str, row)) + "\n")

    def fit(self, epochs):
        losses = []
        for epoch in range(epochs):
            losses.append(self.train())
            self.save_metrics((epoch, losses[-1], self.validate()))
        return losses


def main(seed=0):
    np.random.seed(seed)
    trainer = Trainer()
    losses = trainer.fit(5)
    return {"losses": losses, "weights": trainer.weights, "validated": trainer.validated, "ema": trainer.ema}
