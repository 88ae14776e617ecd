"""A step fails after its forward pass; the library would tell its callbacks and tear everything down."""

from failing import once


def arm(program):
    program.loss_of = once(program.loss_of, 8, RuntimeError("the device does not answer"))
