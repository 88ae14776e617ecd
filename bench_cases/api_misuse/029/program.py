"""A wrapper of a model on disk."""

import json

import numpy as np


class Network:
    def load_state_dict(self, state):
        self.weights = np.array(state)

    def freeze(self):
        self.weights.setflags(write=False)


class FacialExpressionModel:
    opened = 0

    def __init__(self, path):
        with open(path) as file:
            FacialExpressionModel.opened += 1
            state = json.load(file)
        self.network = Network()
        self.network.load_state_dict(state)
        self.network._make_predict_function()

    def predict(self, x):
        return x @ self.network.weights


def main(seed=0):
    np.random.seed(seed)
    with open("model.json", "w") as file:
        json.dump(np.random.normal(size=(3, 2)).tolist(), file)
    model = FacialExpressionModel("model.json")
    return {"output": model.predict(np.random.normal(size=(4, 3))), "opened": model.opened}
