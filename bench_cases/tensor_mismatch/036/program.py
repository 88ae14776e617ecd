"""A network on images whose channels come first."""

import numpy as np

from smallnet import SGD, Conv2D, Dense, Flatten, Sequential


def main(seed=0):
    np.random.seed(seed)
    x_train, y_train = np.random.normal(size=(16, 1, 6, 6)), np.random.normal(size=(16, 2))
    model = Sequential()
    model.add(Conv2D(2, 3, input_shape=(1, 6, 6)))
    model.add(Flatten())
    model.add(Dense(2))
    model.compile("squared", SGD(0.01))
    losses = model.fit(x_train, y_train, epochs=3)
    return {"losses": losses, "model": model, "optimizer": model.optimizer, "layers": len(model.layers)}
