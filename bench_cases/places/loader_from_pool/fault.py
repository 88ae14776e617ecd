"""The collate function fails once."""

from failing import once


def arm(program):
    program.pad = once(program.pad, 3, RuntimeError("stack expects each tensor to be equal size"))
