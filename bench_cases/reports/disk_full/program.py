"""Long epochs, each saved when it is done."""

import pickle

import numpy as np


def save(state, path):
    data = pickle.dumps(state)
    with open(path, "wb") as file:
        write(file, data)


def write(file, data):
    file.write(data)


def train(epochs):
    weights, losses = np.zeros(6), []
    for epoch in range(epochs):
        for _ in range(20):
            weights = weights - 0.1 * (weights - np.random.normal(size=6))
            losses.append(float((weights**2).mean()))
        save({"epoch": epoch, "weights": weights, "losses": losses}, f"epoch-{epoch}.pkl")
    return losses, weights


def main(seed=0):
    np.random.seed(seed)
    losses, weights = train(3)
    return {"losses": losses, "weights": weights, "loss": losses[-1]}
