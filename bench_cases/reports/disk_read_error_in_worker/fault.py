"""One sample cannot be read, in a worker process."""

from failing import once_for


def arm(program):
    def fail():
        raise OSError(5, "Input/output error")

    program.read = once_for(program.read, 7, fail)
