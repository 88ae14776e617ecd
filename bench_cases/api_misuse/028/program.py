"""A neural process on points drawn from images, by way of a lazy pipeline."""

import numpy as np

from smallnet import SGD, Dense, Sequential


def encode(image, least=10, most=10):
    points = np.random.randint(least, most)
    chosen = np.random.choice(len(image), size=points)
    return np.full(4, image[chosen].mean()), image[:1]


def fit(model, samples):
    for x, y in samples:
        model.train_on(x[None], y[None])
    return model.losses


def main(seed=0):
    np.random.seed(seed)
    images = [np.random.normal(size=16) for _ in range(12)]
    samples = map(encode, images)
    model = Sequential()
    model.add(Dense(1, input_dim=4))
    model.compile("squared", SGD(0.1))
    losses = fit(model, samples)
    return {"losses": losses, "model": model, "optimizer": model.optimizer}
