"""A network on images without a layer that flattens them."""

import numpy as np

from smallnet import SGD, Conv2D, Dense, Flatten, Sequential

DATA = np.random.default_rng(1)


def main(seed=0):
    np.random.seed(seed)
    x, y = DATA.normal(size=(16, 6, 6, 1)), DATA.normal(size=(16, 1))
    model = Sequential()
    model.add(Conv2D(2, 3, input_shape=(6, 6, 1)))
    model.add(Dense(1))
    model.compile("squared", SGD(0.01))
    losses = model.fit(x, y, epochs=3)
    return {"losses": losses, "model": model, "optimizer": model.optimizer, "layers": len(model.layers)}
