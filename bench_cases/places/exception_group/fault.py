"""A note fails within `except*`, where a group is half handled."""

from failing import once


def arm(program):
    program.note = once(program.note, 3, RuntimeError("no answer"))
