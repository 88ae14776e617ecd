"""A schedule that is told the loss and answers with the rate."""

import contextlib

closed = []


@contextlib.contextmanager
def logbook():
    try:
        yield closed
    finally:
        closed.append("closed")


def adjust(rate, loss):
    return rate * 0.5 if loss > 0.5 else rate * 1.1


def schedule(rate):
    with logbook():
        while rate > 0.01:
            loss = yield rate
            rate = adjust(rate, loss)


def main(seed=0):
    plan = schedule(0.1)
    rates = [next(plan)]
    for loss in (0.9, 0.2, 0.8, 0.1, 0.3):
        rates.append(plan.send(loss))
    plan.close()
    return {"rates": rates, "closed": closed}
