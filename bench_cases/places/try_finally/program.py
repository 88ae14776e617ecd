"""Steps that are accounted for, whatever happens."""

import random

ledger = []


def step(n):
    return n * random.random()


def main(seed=0):
    random.seed(seed)
    results = []
    for n in range(5):
        try:
            ledger.append(("begin", n))
            results.append(step(n))
        finally:
            ledger.append(("end", n))
    return {"results": results, "ledger": ledger}
