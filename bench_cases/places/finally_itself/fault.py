"""Writing down fails while a step's own exception is under way to its handler."""

from failing import once


def arm(program):
    program.write_down = once(program.write_down, 3, OSError(28, "No space left on device"))
