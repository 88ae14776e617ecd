"""A commit fails: the body was well."""

from failing import once


def arm(program):
    program.commit = once(program.commit, 2, OSError(28, "No space left on device"))
