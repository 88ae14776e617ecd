"""Cases of the restart jump: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import Jump
from sweep.twins import case, line_of


def _to(mark):
    def decide(crash):
        from sweep.twins import CASES

        return Jump(line_of(CASES[crash.function.split(".")[0]].function, mark))

    return decide


@case("f(1)", _to("there"))
def jump_forward(p):
    x = p.call("x")
    x = p.call("f", x)
    p.call("jumped over")
    y = p.call("y")  # there
    return x, y


@jump_forward.twin
def _(p):
    x = p.call("x")
    return x, p.call("y")


@case("f(1)", _to("again"))
def jump_back(p):
    x = p.call("x")  # again
    p.call("between")
    return p.call("f", x), x


@jump_back.twin
def _(p):
    p.call("x")
    p.call("between")
    x = p.call("x")
    p.call("between")
    return p.call("f", x), x


@case("body(1)", _to("in the loop"))
def jump_within_a_loop_body(p):
    seen = []
    for x in p.iter(2):
        seen.append(p.call("body", x))
        p.call("jumped over", x)
        seen.append(p.call("end", x))  # in the loop
    return seen


@jump_within_a_loop_body.twin
def _(p):
    seen = []
    for x in p.iter(2):
        if x != 1:
            seen.append(p.call("body", x))
            p.call("jumped over", x)
        seen.append(p.call("end", x))
    return seen


@case("body(1)", _to("outside"))
def jump_out_of_a_loop(p):
    for x in p.iter(3):
        p.call("body", x)
    p.call("jumped over")
    return p.call("end", x)  # outside


@jump_out_of_a_loop.twin
def _(p):
    it = p.iter(3)
    p.call("body", next(it))
    return p.call("end", next(it))
