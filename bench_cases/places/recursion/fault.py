"""One leaf fails: four calls above it hold half a sum each."""

from failing import once


def arm(program):
    program.value = once(program.value, 6, RuntimeError("no answer"))
