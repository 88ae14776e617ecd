"""A setting that holds for a while."""

import contextlib

settings = {"mode": "train"}


@contextlib.contextmanager
def mode(name):
    before = settings["mode"]
    settings["mode"] = name
    yield
    settings["mode"] = before


def measure(n):
    return n, settings["mode"]


def main(seed=0):
    seen = []
    for n in range(4):
        with mode("eval"):
            seen.append(measure(n))
        seen.append(settings["mode"])
    return {"seen": seen}
