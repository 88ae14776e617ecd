"""A classifier of Keras, on its torch backend."""

import keras
import numpy as np


def main(seed=0):
    if seed is not None:
        keras.utils.set_random_seed(seed)
    x = [[float(n % 7), float(n % 3)] for n in range(24)]
    y = [n % 2 for n in range(24)]
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    history = model.fit(x, y, epochs=2, batch_size=8, verbose=0)
    return {"losses": history.history["loss"], "weights": [np.asarray(w) for w in model.get_weights()]}
