"""The second reading fails once."""

from failing import once


def arm(program):
    program.read_slowly = once(program.read_slowly, 2, RuntimeError("no answer"))
