"""A `fit` that tells its callbacks how it ended."""

import os
import pickle

import numpy as np

told = []


class BestModel:
    def on_epoch_end(self, state):
        with open("best.pkl", "wb") as file:
            pickle.dump(state, file)

    def on_train_end(self, state):
        with open("best.pkl", "rb") as file:
            told.append(len(pickle.load(file)))


def call(callbacks, name, state):
    return [getattr(callback, name)(state) for callback in callbacks]


def compute(batch):
    return batch.mean()


def fit(batches, callbacks):
    state, error = [], None
    try:
        for epoch in range(2):
            for batch in batches:
                state.append(float(compute(batch)))
            call(callbacks, "on_epoch_end", state)
    except Exception as e:
        error = e
        raise
    finally:
        told.append(repr(error))
        call(callbacks, "on_train_end", state)
    return state


def main(seed=0):
    np.random.seed(seed)
    losses = fit(list(np.random.normal(size=(4, 3))), [BestModel()])
    return {"losses": losses, "told": told, "there": os.path.exists("best.pkl")}
