"""A sample of the third batch cannot be read."""

from failing import once


def arm(program):
    program.read = once(program.read, 6, OSError(5, "Input/output error"))
