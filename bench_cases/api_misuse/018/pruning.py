"""Layers that forget their small weights."""

import numpy as np


class Layer:
    def __call__(self, x):
        if not hasattr(self, "weights"):
            self.weights = np.random.normal(size=(x.shape[1], self.units))
        return self.call(x)


class Conv(Layer):
    def __init__(self, units):
        self.units = units

    def call(self, x):
        kept = np.abs(self.weights) > self._threshold()
        return np.tanh(x @ np.where(kept, self.weights, nn_ops.zeros()))

    def threshold(self):
        return 0.1
