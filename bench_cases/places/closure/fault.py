"""The weight fails when the count has gone up already."""

from failing import once


def arm(program):
    program.weight = once(program.weight, 3, RuntimeError("no answer"))
