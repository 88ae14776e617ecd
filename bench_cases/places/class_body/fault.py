"""The second answer fails: half of the class is there."""

from failing import once


def arm(program):
    program.ask = once(program.ask, 2, RuntimeError("no answer"))
