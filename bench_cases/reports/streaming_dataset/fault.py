"""The hub does not answer once, in the stream's generator, while a batch is half filled."""

from failing import once


def arm(program):
    program.fetch = once(program.fetch, 11, ConnectionError("502 Server Error: Bad Gateway"))
