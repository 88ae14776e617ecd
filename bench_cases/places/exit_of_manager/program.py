"""Transactions that are written when they are left."""

import random

written = []


def commit(rows):
    written.append(list(rows))
    return len(rows)


class Transaction:
    def __enter__(self):
        self.rows = []
        return self.rows

    def __exit__(self, *error):
        if error[0] is None:
            commit(self.rows)


def main(seed=0):
    random.seed(seed)
    for _ in range(3):
        with Transaction() as rows:
            rows.append(random.random())
    return {"written": written}
