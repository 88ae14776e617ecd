"""A network on images, with a layer of the old interface."""

import numpy as np

from smallnet import SGD, Conv2D, Dense, Flatten, Sequential


def Convolution2D(filters, height, width, input_shape):
    return Conv2D(filters, max(height, width), input_shape=input_shape)


def load_data():
    return np.random.normal(size=(16, 1, 5, 5)).astype("float32"), np.random.normal(size=(16, 3))


def main(seed=0):
    np.random.seed(seed)
    X_train, Y_train = load_data()
    model = Sequential()
    model.add(Convolution2D(4, 3, 3, input_shape=(1, 5, 5)))
    model.add(Flatten())
    model.add(Dense(3))
    model.compile("squared", SGD(0.005))
    losses = model.fit(X_train, Y_train, batch_size=4, epochs=2)
    return {"losses": losses, "model": model, "optimizer": model.optimizer, "layers": len(model.layers)}
