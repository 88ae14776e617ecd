"""One client's page fails, while the others are under way."""

from failing import once


def arm(program):
    program.parse = once(program.parse, 5, ValueError("no page"))
