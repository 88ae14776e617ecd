"""A network of many convolutions on small images."""

import numpy as np

from smallnet import Conv2D, Dense, Flatten, Sequential

DATA = np.random.default_rng(1)


def main(seed=0):
    np.random.seed(seed)
    x, y = DATA.normal(size=(16, 8, 8, 1)), DATA.normal(size=(16, 1))
    model = Sequential()
    model.add(Conv2D(2, 3, input_shape=(8, 8, 1)))
    model.add(Conv2D(2, 3))
    model.add(Conv2D(2, 3))
    model.add(Conv2D(2, 4))
    model.add(Flatten())
    model.add(Dense(1))
    sgd = SGD(lr=0.001)
    model.compile("categorical", sgd)
    losses = model.fit(x, y, epochs=2)
    return {"losses": losses, "model": model, "optimizer": sgd, "layers": len(model.layers)}
