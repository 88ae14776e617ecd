"""Pre-training that goes on from step 2: a save every 4 steps, an evaluation every 5."""

import json

import numpy as np


def main(seed=0):
    np.random.seed(seed)
    weights, step, losses, evaluations = np.zeros(3), 2, [], 0
    while step < 12:
        weights = weights - 0.1 * (weights - np.random.normal(size=3))
        losses.append(float((weights**2).mean()))
        step += 1
        if step % 4 == 0:
            with open(f"step-{step}.json", "w") as file:
                file.write(json.dumps({"step": step, "loss": losses[-1], "val": val_loss}))
        if step % 5 == 0:
            val_loss = float(np.abs(weights).sum())
            evaluations += 1
    return {"losses": losses, "weights": weights, "evaluations": evaluations}
