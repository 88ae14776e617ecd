"""Candidates, the best first."""

import random

scored = []


def score(candidate):
    scored.append(candidate)
    return rate(candidate)


def rate(candidate):
    return (candidate * 7) % 5 + random.random()


def main(seed=0):
    random.seed(seed)
    return {"ranking": sorted(range(8), key=score), "scored": scored}
