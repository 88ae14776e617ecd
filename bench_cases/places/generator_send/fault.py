"""The schedule fails at the third loss, which it was sent."""

from failing import once


def arm(program):
    program.adjust = once(program.adjust, 3, ArithmeticError("no answer"))
