"""The condition fails half-way: its state has moved."""

from failing import once


def arm(program):
    program.check = once(program.check, 3, RuntimeError("no answer"))
