"""A run that ends with a model card, for which a hub is asked."""

import json

import numpy as np

written = []


def ask_hub(name):
    return {"name": name, "license": "mit"}


def create_model_card(name):
    metadata = ask_hub(name)
    return json.dumps(metadata)


def train():
    weights = np.zeros(3)
    for _ in range(30):
        weights = weights - 0.1 * (weights - np.random.normal(size=3))
    return weights


def write_results(name, text):
    written.append(name)
    with open(name, "w") as file:
        file.write(text)


def main(seed=0):
    np.random.seed(seed)
    weights = train()
    write_results("weights.json", json.dumps(weights.tolist()))
    card = create_model_card("ours")
    write_results("results.json", json.dumps({"norm": float((weights**2).sum())}))
    return {"weights": weights, "written": written, "card": card and None}
