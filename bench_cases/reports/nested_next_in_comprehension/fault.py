"""One step fails: the list so far, the range and the batch are all on the value stack."""

from failing import once


def arm(program):
    program.step = once(program.step, 6, RuntimeError("a background worker is gone"))
