"""The hub does not answer once, in a worker process."""

from failing import once_for


def arm(program):
    def fail():
        raise ConnectionError("502 Server Error: Bad Gateway")

    program.fetch = once_for(program.fetch, 10, fail)
