"""The last part but one fails: positional, starred and keyword arguments are half collected."""

from failing import once


def arm(program):
    program.part = once(program.part, 6, RuntimeError("no answer"))
