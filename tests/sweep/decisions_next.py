"""Cases of the restart nextiteration: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import NextIteration
from sweep.effects import Injected
from sweep.twins import case


@case("body(1)", NextIteration())
def next_iteration_of_a_for(p):
    seen = []
    for x in p.iter(3):
        p.call("before", x)
        seen.append(p.call("body", x))
        p.call("after", x)
    return seen


@next_iteration_of_a_for.twin
def _(p):
    seen = []
    for x in p.iter(3):
        p.call("before", x)
        if x == 1:
            continue
        seen.append(p.call("body", x))
        p.call("after", x)
    return seen


@case("body(0, 1)", NextIteration(1))
def next_iteration_of_the_outer_loop(p):
    seen = []
    for x in p.iter(2, "x"):
        for y in p.iter(3, "y"):
            seen.append(p.call("body", x, y))
    return seen


@next_iteration_of_the_outer_loop.twin
def _(p):
    seen = []
    for x in p.iter(2, "x"):
        for y in p.iter(3, "y"):
            if (x, y) == (0, 1):
                break
            seen.append(p.call("body", x, y))
    return seen


@case("body(2)", NextIteration())
def next_iteration_of_a_while(p):
    n = 0
    while p.call("test", n < 3):
        n += 1
        p.call("body", n)
        p.call("after", n)
    return n


@next_iteration_of_a_while.twin
def _(p):
    n = 0
    while p.call("test", n < 3):
        n += 1
        if n == 2:
            continue
        p.call("body", n)
        p.call("after", n)
    return n


@case("body(1)", NextIteration())
def next_iteration_leaves_a_with(p):
    for x in p.iter(3):
        with p.manager("m"):
            p.call("body", x)
        p.call("after", x)
    return x


@next_iteration_leaves_a_with.twin
def _(p):
    for x in p.iter(3):
        if x == 1:  # the exception passes the `with` on its way to the header: its __exit__ is told of it
            try:
                with p.manager("m"):
                    raise Injected
            except Injected:
                continue
        with p.manager("m"):
            p.call("body", x)
        p.call("after", x)
    return x


@case("body(1)", NextIteration())
def next_iteration_leaves_a_finally(p):
    for x in p.iter(3):
        try:
            p.call("body", x)
        finally:
            p.call("finally", x)
    return x


@next_iteration_leaves_a_finally.twin
def _(p):
    for x in p.iter(3):
        try:
            if x == 1:
                continue
            p.call("body", x)
        finally:
            p.call("finally", x)
    return x


@case("body(1)", NextIteration())
def next_iteration_of_a_comprehension(p):
    return [p.call("body", x) for x in p.iter(3)], p.call("after")


@next_iteration_of_a_comprehension.twin
def _(p):
    return [p.call("body", x) for x in p.iter(3) if x != 1], p.call("after")


@case("body(1)", NextIteration())
def next_iteration_of_a_generator_expression(p):
    return list(p.call("body", x) for x in p.iter(3)), p.call("after")


@next_iteration_of_a_generator_expression.twin
def _(p):
    return list(p.call("body", x) for x in p.iter(3) if x != 1), p.call("after")


@case("next it", NextIteration(), number=1)
def next_iteration_when_the_header_failed(p):
    seen = []
    for x in p.iter(3):
        seen.append(p.call("body", x))
    return seen


@next_iteration_when_the_header_failed.twin
def _(p):
    return [p.call("body", x) for x in p.iter(3)]


@case("body(1)", NextIteration())
def next_iteration_of_an_async_for(p):
    async def f():
        seen = []
        async for x in p.aiter(3):
            seen.append(p.call("body", x))
        return seen

    return p.drive(f())


@next_iteration_of_an_async_for.twin
def _(p):
    async def f():
        seen = []
        async for x in p.aiter(3):
            if x != 1:
                seen.append(p.call("body", x))
        return seen

    return p.drive(f())


@case("handler(1)", NextIteration())
def next_iteration_out_of_a_handler(p):
    import sys

    for x in p.iter(3):
        try:
            if x == 1:
                raise ValueError
            p.call("body", x)
        except ValueError:
            p.call("handler", x)
        p.call("after", x, sys.exception() is None)
    return x


@next_iteration_out_of_a_handler.twin
def _(p):
    for x in p.iter(3):
        if x == 1:
            continue
        p.call("body", x)
        p.call("after", x, True)
    return x
