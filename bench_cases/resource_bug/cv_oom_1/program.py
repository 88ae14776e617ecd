"""A network as wide as somebody thought the device could bear."""

import numpy as np

from devices import CARDS, Model


class Net(Model):
    def __init__(self):
        self.first = np.full((5, 60), 0.1)
        self.second = np.full((60, 60), 0.2)


def main(seed=0):
    np.random.seed(seed)
    device = CARDS[0]
    x = np.random.normal(size=(4, 5))
    model = Net().to(device)
    losses = []
    for step in range(5):
        output = x @ model.first.value @ model.second.value
        model.second.value = model.second.value - 0.001 * output.mean()
        losses.append(float((output**2).mean()))
    return {"losses": losses, "model": model, "used": device.used}
