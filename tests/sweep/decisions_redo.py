"""Cases of the restart redo: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import Redo
from sweep.twins import case


@case("f(2)", Redo())
def redo_a_statement(p):
    a = p.call("a")
    b = p.call("f", p.call("x"))
    return a, b, p.call("after")


@redo_a_statement.twin
def _(p):
    a = p.call("a")
    p.call("x")
    b = p.call("f", p.call("x"))
    return a, b, p.call("after")


@case("step(1)", Redo())
def redo_in_a_loop(p):
    it, out = p.iter(5), []
    for _ in range(2):
        out.append(p.call("step", next(it)))
    return out


@redo_in_a_loop.twin
def _(p):
    it = p.iter(5)
    out = [p.call("step", next(it))]
    next(it)
    out.append(p.call("step", next(it)))
    return out


@case("c(1)", Redo())
def redo_a_statement_with_a_comprehension(p):
    out = [p.call("c", x) for x in p.iter(2)]
    return out, p.call("after")


@redo_a_statement_with_a_comprehension.twin
def _(p):
    it = p.iter(2)
    next(it), p.call("c", 0), next(it)
    out = [p.call("c", x) for x in p.iter(2)]
    return out, p.call("after")


@case("result(1)", Redo())
def redo_a_return_in_a_with(p):
    with p.manager("m"):
        return p.call("result", p.call("x"))


@redo_a_return_in_a_with.twin
def _(p):
    with p.manager("m"):
        p.call("x")
        return p.call("result", p.call("x"))
