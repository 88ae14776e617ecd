"""A look-up in a guard fails."""

from failing import once


def arm(program):
    program.known = once(program.known, 2, RuntimeError("no answer"))
