"""Pre-training with memory snapshots; the program believes what it is told."""

import numpy as np

dumps = []


class OutOfMemoryError(RuntimeError):
    pass


class Snapshot:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None and issubclass(kind, OutOfMemoryError):
            dumps.append(str(error))
            return True
        return None


def forward(x):
    return float((x**2).mean())


def train():
    losses = []
    with Snapshot():
        for step in range(5):
            losses.append(forward(np.random.normal(size=4)))
    return losses


def main(seed=0):
    np.random.seed(seed)
    losses = train()
    if len(losses) < 5:
        raise AssertionError(f"{len(losses)} steps of 5")
    return {"losses": losses, "dumps": dumps}
