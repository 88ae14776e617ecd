"""Image training; a saver keeps the last and the best checkpoints."""

import os
import pickle

import numpy as np


class Saver:
    def __init__(self):
        self.ranked, self.saved = [], 0

    def save_checkpoint(self, state, epoch, metric):
        with open("tmp.pkl", "wb") as file:
            pickle.dump(state, file)
        self.saved += 1
        if os.path.exists("last.pkl"):
            os.unlink("last.pkl")
        os.rename("tmp.pkl", "last.pkl")
        name = f"checkpoint-{epoch}.pkl"
        os.link("last.pkl", name)
        self.ranked.append((name, metric))
        self.ranked.sort(key=lambda entry: entry[1])


def main(seed=0):
    np.random.seed(seed)
    saver, weights, losses = Saver(), np.zeros(4), []
    for epoch in range(3):
        weights = weights + 0.1 * np.random.normal(size=4)
        losses.append(float((weights**2).mean()))
        saver.save_checkpoint(weights, epoch, losses[-1])
    return {"losses": losses, "ranked": saver.ranked, "saved": saver.saved, "weights": weights}
