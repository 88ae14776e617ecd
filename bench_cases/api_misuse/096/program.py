"""A network on sonar data that was read as lists."""

import numpy as np

from smallnet import SGD, Dense, Sequential


def read(rows):
    data = np.random.normal(size=(rows, 6))
    return data[:, :5].tolist(), data[:, 5:].tolist()


def main(seed=0):
    np.random.seed(seed)
    x, y = read(24)
    model = Sequential()
    model.add(Dense(4, input_dim=5))
    model.add(Dense(1))
    model.compile("squared", SGD(0.05))
    losses = model.fit(x, y, epochs=4)
    return {"losses": losses, "model": model, "optimizer": model.optimizer}
