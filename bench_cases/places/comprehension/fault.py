"""The fifth call fails: a dictionary and a list are half built on the value stack."""

from failing import once


def arm(program):
    program.feature = once(program.feature, 5, RuntimeError("no answer"))
