"""One sample cannot be read, below a loader, a generator and an `enumerate`."""

from failing import once


def arm(program):
    program.read = once(program.read, 8, OSError(5, "Input/output error"))
