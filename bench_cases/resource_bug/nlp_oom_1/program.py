"""A word model; the module `model` makes way for the model that it makes."""

import argparse

import model
import numpy as np

from devices import CARDS


def main(seed=0):
    global model
    np.random.seed(seed)
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="LSTM")
    parser.add_argument("--nhid", type=int, default=650)
    args = parser.parse_args([])
    device = CARDS[0]
    if args.model == "Transformer":
        raise NotImplementedError
    else:
        model = model.RNNModel(args.nhid, 4).to(device)
    words = np.random.randint(4, size=20)
    losses = [float(model.encoder.value[word].sum()) for word in words]
    return {"losses": losses, "model": model, "used": device.used, "words": words}
