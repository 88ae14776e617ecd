"""A loss fails within `sum`."""

from failing import once


def arm(program):
    program.check = once(program.check, 5, RuntimeError("no answer"))
