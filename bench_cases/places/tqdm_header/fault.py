"""A read fails below the loop's header, in a generator."""

from failing import once


def arm(program):
    program.read = once(program.read, 4, OSError(5, "Input/output error"))
