"""The models of the project."""

import numpy as np

from devices import Model


class RNNModel(Model):
    def __init__(self, nhid, words):
        self.encoder = np.random.normal(size=(words, 10))
        self.hidden = np.zeros((nhid, 10))
