"""Words in columns."""

from devices import CARDS, move

device = CARDS[0]
calls = []


def batchify(data, columns):
    calls.append(columns)
    rows = len(data) // columns
    data = data[: rows * columns].reshape(columns, rows).T.copy()
    return move(data, device)
