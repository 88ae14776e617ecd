"""A network whose callback draws a picture after each epoch."""

import numpy as np

from smallnet import SGD, Dense, Sequential


class Axes:
    def __init__(self):
        self.shown = []

    def imshow(self, image):
        self.shown.append(image.copy())


def subplots(rows, columns):
    axes = [Axes() for _ in range(rows * columns)]
    return "figure", axes if len(axes) > 1 else axes[0]


class PlotSamples:
    def __init__(self):
        self.pictures, self.figures = [], 0

    def on_epoch_end(self, epoch, model):
        self.plot_img(model.layers[-1].weights)

    def plot_img(self, image):
        _, ax = subplots(1, 1)
        self.figures += 1
        ax[0].imshow(image)
        self.pictures.append(ax.shown)


def main(seed=0):
    np.random.seed(seed)
    x, y = np.random.normal(size=(32, 5)), np.random.normal(size=(32, 2))
    model = Sequential()
    model.add(Dense(2, input_dim=5))
    model.compile("squared", SGD(0.1))
    plot = PlotSamples()
    losses = model.fit(x, y, epochs=3, callbacks=[plot])
    return {"losses": losses, "model": model, "optimizer": model.optimizer, "pictures": plot.pictures, "n": plot.figures}
