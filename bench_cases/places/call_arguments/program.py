"""A report with many parts, made in one call."""

import random

made = []


def part(name):
    made.append(name)
    return random.random()


def report(*args, **kwargs):
    return [args, kwargs]


def main(seed=0):
    random.seed(seed)
    extra = {"z": part("z")}
    text = report(part("a"), *[part("b"), part("c")], d=part("d"), **extra, f=[part("e"), f"{part('f'):.17g}"])
    return {"text": text, "made": made}
