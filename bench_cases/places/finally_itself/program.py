"""Steps that write down how long they took, whatever happens."""

import random

written = []


def write_down(n):
    written.append(n)


def step(n):
    if n == 2:
        raise KeyError(n)
    return n * random.random()


def main(seed=0):
    random.seed(seed)
    results, refused = [], []
    for n in range(4):
        try:
            try:
                results.append(step(n))
            finally:
                write_down(n)
        except KeyError as error:
            refused.append(error.args)
    return {"results": results, "refused": refused, "written": written}
