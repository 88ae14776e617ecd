"""Training on two towers that share their variables, in the manner of a graph library's variable scopes."""

import contextlib

import numpy as np


class Scope:
    """Names, and whether they may be made or are only to be found."""

    def __init__(self, store, reuse=False):
        self.store, self.reuse = store, reuse

    def reuse_variables(self):
        self.reuse = True

    @contextlib.contextmanager
    def nested(self):
        before = self.reuse
        try:
            yield self
        finally:
            self.reuse = before

    def get(self, name, shape):
        if name not in self.store:
            if self.reuse:
                raise ValueError(f"variable {name} does not exist, and reuse is set")
            self.store[name] = np.random.normal(size=shape)
        return self.store[name]


class MovingAverages:
    def __init__(self, decay):
        self.decay = decay

    def apply(self, scope):
        for name in [name for name in scope.store if not name.endswith("/average")]:
            value = scope.store[name]
            slot = scope.get(name + "/average", value.shape)
            slot *= self.decay
            slot += (1 - self.decay) * value


class Graph(contextlib.AbstractContextManager):
    def __enter__(self):
        self.entered = getattr(self, "entered", 0) + 1
        return self

    def __exit__(self, *error):
        return None


def tower_gradient(scope, x, y):
    weights = scope.get("weights", (3, 1))
    bias = scope.get("bias", (1,))
    error = x @ weights + bias - y
    return {"weights": x.T @ error / len(x), "bias": error.mean(axis=0)}, float((error**2).mean())


def train(batches):
    scope, graph, losses, drawn = Scope({}), Graph(), [], []
    with graph, np.errstate(all="raise"):
        towers = []
        for tower in range(2):
            with graph:
                with contextlib.nullcontext(tower):
                    index = np.random.randint(len(batches))
                    drawn.append(index)
                    gradient, loss = tower_gradient(scope, *batches[index])
                    scope.reuse_variables()
                    towers.append(gradient)
                    losses.append(loss)
        averages = MovingAverages(0.9)
        averages.apply(scope)
        for name in ("weights", "bias"):
            scope.store[name] -= 0.1 * sum(tower[name] for tower in towers) / len(towers)
    return scope.store, losses, drawn, len(towers), graph.entered


def main(seed=0):
    np.random.seed(seed)
    batches = [(np.random.normal(size=(8, 3)), np.random.normal(size=(8, 1))) for _ in range(4)]
    store, losses, drawn, towers, entered = train(batches)
    return {"variables": store, "losses": losses, "batches": drawn, "towers": towers, "entered": entered}
