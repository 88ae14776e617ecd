"""Variables that a library keeps a list of."""

import warnings

REGISTRY = []


class Variable:
    def __init__(self, value, name, trainable=True):
        self.value, self.name = value, name
        REGISTRY.append(self)
        if trainable is not True:
            warnings.warn("trainable is to be a bool", DeprecationWarning, stacklevel=2)
