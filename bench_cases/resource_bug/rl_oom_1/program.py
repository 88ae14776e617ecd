"""Actor and critic; the model is a global of the script."""

import numpy as np

from devices import CARDS, Model

device = CARDS[0]


class Policy(Model):
    def __init__(self):
        self.affine1 = np.full((4, 100), 0.1)
        self.action_head = np.full((100, 8), 0.1)


class Optimizer:
    def __init__(self, model, lr):
        self.model, self.lr, self.steps = model, lr, 0

    def step(self, gradient):
        self.steps += 1
        self.model.action_head.value = self.model.action_head.value - self.lr * gradient

    def state_dict(self):
        return {"lr": self.lr, "steps": self.steps}


model = Policy()
optimizer = Optimizer(model, 0.01)


def main(seed=0):
    model.to(device)
    np.random.seed(seed)
    rewards = []
    for episode in range(5):
        state = np.random.normal(size=4)
        action = state @ model.affine1.value @ model.action_head.value
        rewards.append(float(action.sum()))
        optimizer.step(action.mean())
    return {"rewards": rewards, "model": model, "optimizer": optimizer, "used": device.used}
