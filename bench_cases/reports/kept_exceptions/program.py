"""Many steps of which some fail, in a callee with large variables."""

import gc
import weakref

import numpy as np

alive = weakref.WeakSet()


class Activation:
    def __init__(self):
        self.values = np.zeros(1000)
        alive.add(self)


def check(step):
    return step


def forward(step):
    activation = Activation()
    return float(activation.values.sum()) + check(step)


def main(seed=0):
    outputs = [forward(step) for step in range(30)]
    gc.collect()
    return {"outputs": outputs, "alive": len(alive)}
