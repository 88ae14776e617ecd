"""One sample fails in the thread."""

from failing import once


def arm(program):
    program.augment = once(program.augment, 4, OSError(5, "Input/output error"))
