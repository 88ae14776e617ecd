"""Measurements read from texts, mapped in the loop's header."""

import random

TEXTS = ["0.25", "1.5", "0.75", "2.0"]


def main(seed=0):
    random.seed(seed)
    total, seen = 0.0, []
    for number in map(float, TEXTS):
        total += number * random.random()
        seen.append(number)
    return {"total": total, "seen": seen}
