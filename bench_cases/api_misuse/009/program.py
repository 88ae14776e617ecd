"""A GAN on small images, written for Python 2."""

import numpy as np


class GAN:
    def __init__(self, units=8):
        self.latent = 4
        self.generator = np.random.normal(size=(self.latent, 16))
        self.discriminator = self.build_discriminator(units)
        self.losses, self.indexes = [], []

    def build_discriminator(self, units):
        hidden = np.random.normal(size=(16, units / 2))
        return hidden, np.zeros((hidden.shape[1], 1))

    def judge(self, images, labels):
        hidden, out = self.discriminator
        features = np.tanh(images @ hidden)
        error = features @ out - labels
        out -= 0.1 * features.T @ error / len(images)
        return float((error**2).mean())

    def train(self, x, epochs, batch):
        for _ in range(epochs):
            index = np.random.randint(0, len(x) - batch)
            self.indexes.append(index)
            real = x[index : index + batch / 2]
            noise = np.random.normal(size=(batch / 2, self.latent))
            fake = noise @ self.generator
            labels = np.ones((batch / 2, 1))
            loss = self.judge(real, labels) + self.judge(fake, 0 * labels)
            self.losses.append(loss)


def main(seed=0):
    np.random.seed(seed)
    x = np.random.normal(size=(64, 16))
    gan = GAN()
    gan.train(x, epochs=20, batch=8)
    return {"losses": gan.losses, "indexes": gan.indexes, "weights": gan.discriminator, "loss": gan.losses[-1]}
