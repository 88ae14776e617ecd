"""Linear regression on lists."""

import numpy as np

from smallnet import SGD, Dense, Sequential


def main(seed=0):
    np.random.seed(seed)
    x_data = [[1.0], [2.0], [3.0], [4.0], [5.0]]
    y_data = [[2.0], [4.0], [6.0], [8.0], [10.0]]
    model = Sequential()
    model.add(Dense(1, input_dim=1))
    model.compile("squared", SGD(0.01))
    losses = model.fit(x_data, y_data, epochs=10, batch_size=2)
    return {"losses": losses, "model": model, "optimizer": model.optimizer, "loss": losses[-1]}
