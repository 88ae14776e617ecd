"""The fourth evaluation fails: the parameters have moved already."""

from failing import once


def arm(program):
    program.penalty = once(program.penalty, 4, RuntimeError("no answer"))
