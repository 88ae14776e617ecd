"""A message cannot be decoded, in the asynchronous generator."""

from failing import once


def arm(program):
    program.decode = once(program.decode, 4, UnicodeError("no text"))
