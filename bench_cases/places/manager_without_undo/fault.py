"""The body fails: unprotected, the setting would stay."""

from failing import once


def arm(program):
    program.measure = once(program.measure, 2, RuntimeError("no answer"))
