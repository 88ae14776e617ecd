"""A sample cannot be read, below the generator that accelerate puts around the loader."""

from failing import once


def arm(program):
    program.read = once(program.read, 10, OSError(5, "Input/output error"))
