"""Names and measurements, side by side."""

import random

NAMES = ["a", "b", "c", "d"]
TEXTS = ["0.25", "1.5", "0,75", "2.0"]


def main(seed=0):
    random.seed(seed)
    seen = []
    for name, number in zip(NAMES, map(float, TEXTS)):
        seen.append((name, number * random.random()))
    return {"seen": seen}
