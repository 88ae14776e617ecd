"""Tasks whose failures are handled together."""

import random

noted = []


def note(error):
    noted.append(str(error))
    return random.random()


def main(seed=0):
    random.seed(seed)
    notes = []
    for n in range(2):
        try:
            raise ExceptionGroup("tasks", [ValueError(n), TypeError(n), ValueError(n + 10)])
        except* ValueError as group:
            notes.extend(note(error) for error in group.exceptions)
        except* TypeError as group:
            notes.append(note(group.exceptions[0]))
    return {"notes": notes, "noted": noted}
