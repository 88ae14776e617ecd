"""Evaluation on images that come through a queue."""

import inputs
import numpy as np


def main(seed=0):
    np.random.seed(seed)
    weights = np.random.normal(size=(9, 3))
    images = inputs.inputs()
    scores = images @ weights
    return {"scores": scores, "queue": inputs.QUEUE, "best": scores.argmax(axis=1)}
