"""One read fails, three generators deep below a built-in function."""

from failing import once


def arm(program):
    program.read = once(program.read, 5, OSError(5, "Input/output error"))
