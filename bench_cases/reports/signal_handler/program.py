"""A loop in whose middle a signal handler speaks up."""

import signal

import numpy as np

handled = []


def handler(number, frame):
    handled.append(number)
    report()


def report():
    return None


def tick():
    signal.raise_signal(signal.SIGUSR1)


def main(seed=0):
    np.random.seed(seed)
    signal.signal(signal.SIGUSR1, handler)
    steps, totals, count = 0, [], 0
    it = iter(np.random.normal(size=(8, 3)))
    for _ in range(8):
        x = next(it)
        y = float(x.sum())
        tick()
        steps += 1
        totals.append(y)
        count += 1
    return {"totals": totals, "steps": steps, "count": count, "handled": len(handled)}
