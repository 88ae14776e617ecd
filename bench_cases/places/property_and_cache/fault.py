"""A computation fails below a cached property and a cache made in C."""

from failing import once


def arm(program):
    program.compute = once(program.compute, 2, RuntimeError("no answer"))
