"""Objects whose operators all fail, and what a program makes of supplied results."""

from __future__ import annotations

import daifu_bc
from daifu_bc import Use
from whole.crash_at import Boom


def failing_at(name):
    def method(self, *args):
        raise Boom(name)

    return method


class Fails:
    """Whose operators all fail."""


for _name in "add mul sub getitem setitem neg lt contains bool iter len call matmul iadd getattr format".split():
    setattr(Fails, f"__{_name}__", failing_at(_name))


def used(program, *values):
    """What `program` makes of `values` where it fails."""
    supply = iter(values)
    daifu_bc.protect(program, on_crash=lambda crash: Use(next(supply)), scope="nested")
    return program(Fails())
