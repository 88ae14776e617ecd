"""Memory runs out once; a context manager swallows that, and only the count of steps gives it away."""

from failing import once


def arm(program):
    program.forward = once(program.forward, 3, program.OutOfMemoryError("out of memory"))
