"""A transfer fails while its session is open."""

from failing import once


def arm(program):
    program.transfer = once(program.transfer, 3, ConnectionError("reset by peer"))
