"""A step fails: `finally` is to run once for it."""

from failing import once


def arm(program):
    program.step = once(program.step, 3, RuntimeError("no answer"))
