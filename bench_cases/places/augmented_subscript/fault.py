"""An amount fails when its key and the old value are on the value stack."""

from failing import once


def arm(program):
    program.amount = once(program.amount, 4, RuntimeError("no answer"))
