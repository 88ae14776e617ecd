"""A small library of networks, in the manner of the big ones: layers are added, `fit` trains the last one.

Not part of any program: it is installed, so to speak, and so not protected along.
"""

from __future__ import annotations

import numpy as np


class Dense:
    """All inputs to all units."""

    def __init__(self, units, input_dim=None):
        self.units, self.input_shape = units, None if input_dim is None else (input_dim,)

    def build(self, shape):
        self.weights = np.random.normal(size=(shape[-1], self.units)) / np.sqrt(shape[-1])
        return (*shape[:-1], self.units)

    def __call__(self, x):
        self.seen = x
        return x @ self.weights


class Conv2D:
    """Square filters; channels come last."""

    def __init__(self, filters, kernel, input_shape=None):
        self.filters, self.kernel, self.input_shape = filters, kernel, input_shape

    def build(self, shape):
        height, width, channels = shape
        out = (height - self.kernel + 1, width - self.kernel + 1, self.filters)
        if min(out) <= 0:
            raise ValueError(f"negative dimension: a kernel of {self.kernel} on an input of {shape}")
        self.weights = np.random.normal(size=(channels, self.kernel, self.kernel, self.filters))
        return out

    def __call__(self, x):
        windows = np.lib.stride_tricks.sliding_window_view(x, (self.kernel, self.kernel), axis=(1, 2))
        return np.maximum(np.einsum("bhwcij,cijf->bhwf", windows, self.weights), 0.0)


class Flatten:
    """Everything of a sample in one row."""

    input_shape = None

    def build(self, shape):
        return (int(np.prod(shape)),)

    def __call__(self, x):
        return x.reshape(len(x), -1)


class SGD:
    """Plain gradient descent."""

    def __init__(self, lr=0.01):
        self.lr, self.steps = lr, 0

    def state_dict(self):
        return {"lr": self.lr, "steps": self.steps}


class Sequential:
    """Layers one behind the other."""

    def __init__(self):
        self.layers, self.losses = [], []

    def add(self, layer):
        shape = self.output_shape if self.layers else layer.input_shape
        if shape is None:
            raise ValueError("the first layer must say what its input is")
        built = layer.build(shape)
        if not self.layers:
            self.input_shape = shape
        self.output_shape = built
        self.layers.append(layer)

    def compile(self, loss, optimizer):
        self.loss, self.optimizer = loss, optimizer

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def fit(self, x, y, epochs=1, batch_size=8, callbacks=()):
        self.check(x, y)
        for epoch in range(epochs):
            order = np.random.permutation(len(x))
            for start in range(0, len(x), batch_size):
                rows = order[start : start + batch_size]
                self.train_on(x[rows], y[rows])
            for callback in callbacks:
                callback.on_epoch_end(epoch, self)
        return self.losses

    def check(self, x, y):
        if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
            raise ValueError(f"expected one array, got a list of {len(x)}")
        if x.shape[1:] != self.input_shape:
            raise ValueError(f"data of shape {x.shape[1:]} for an input of {self.input_shape}")
        if y.ndim != len(self.output_shape) + 1:
            raise ValueError(f"targets should have {len(self.output_shape) + 1} dimensions, got {y.shape}")
        if self.loss == "categorical" and y.shape[-1] == 1:
            raise ValueError("a categorical loss needs one column for each class")

    def train_on(self, x, y):
        error = self(x) - y
        self.losses.append(float((error**2).mean()))
        last = self.layers[-1]
        last.weights -= self.optimizer.lr * last.seen.T @ error / len(x)
        self.optimizer.steps += 1

    def state_dict(self):
        return {str(i): layer.weights for i, layer in enumerate(self.layers) if hasattr(layer, "weights")}
