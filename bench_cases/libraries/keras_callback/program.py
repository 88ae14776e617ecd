"""A model of Keras, on its torch backend, with a plot after each epoch."""

import keras
import numpy as np


class Axes:
    def imshow(self, image):
        drawn.append(np.asarray(image).copy())


drawn = []


class Plot(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.plot(Axes(), self.model.get_weights()[0])

    def plot(self, axes, image):
        axes[0].imshow(image)


def main(seed=0):
    if seed is not None:
        keras.utils.set_random_seed(seed)
    x, y = np.random.normal(size=(24, 3)), np.random.normal(size=(24, 1))
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, callbacks=[Plot()])
    return {"losses": history.history["loss"], "drawn": drawn}
