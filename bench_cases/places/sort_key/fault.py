"""One rating fails within `sorted`, which holds the list."""

from failing import once


def arm(program):
    program.rate = once(program.rate, 5, RuntimeError("no answer"))
