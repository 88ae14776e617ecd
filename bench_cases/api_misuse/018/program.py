"""A network of pruned layers out of a module of its own."""

import numpy as np
import pruning


def main(seed=0):
    np.random.seed(seed)
    made = []
    make = lambda units: made.append(units) or pruning.Conv(units)  # noqa: E731
    x = np.random.normal(size=(4, 6))
    for units in (6, 5, 4, 3):
        layer = make(units)
        x = layer(x)
    return {"output": x, "made": made}
