"""Cases of the restart return: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import Return
from sweep.effects import Injected
from sweep.twins import case


@case("f(1)", Return(42))
def return_from_a_function(p):
    x = p.call("x")
    p.call("f", x)
    return p.call("never")


@return_from_a_function.twin
def _(p):
    p.call("x")
    return 42


@case("body(1)", Return(42))
def return_leaves_with_and_finally(p):
    for x in p.iter(3):
        with p.manager("m"):
            try:
                p.call("body", x)
            finally:
                p.call("finally", x)
    return p.call("never")


@return_leaves_with_and_finally.twin
def _(p):
    for x in p.iter(3):
        try:
            with p.manager("m"):
                try:
                    if x == 1:  # the exception passes the `with` on its way out: its __exit__ is told of it
                        raise Injected
                    p.call("body", x)
                finally:
                    p.call("finally", x)
        except Injected:
            return 42


@case("two()", Return("result"))
def return_from_a_generator(p):
    def g():
        yield p.call("one")
        yield p.call("two")

    def outer():
        result = yield from g()
        yield p.call("got", result)

    return list(outer())


@return_from_a_generator.twin
def _(p):
    def g():
        yield p.call("one")
        return "result"

    def outer():
        result = yield from g()
        yield p.call("got", result)

    return list(outer())


@case("inner()", Return(42))
def return_from_a_coroutine(p):
    async def inner():
        await p.awaitable("a")
        p.call("inner")

    async def f():
        return p.call("f", await inner())

    return p.drive(f())


@return_from_a_coroutine.twin
def _(p):
    async def inner():
        await p.awaitable("a")
        return 42

    async def f():
        return p.call("f", await inner())

    return p.drive(f())


@case("inner(1)", Return(7))
def return_from_a_nested_function(p):
    def f(x):
        return p.call("inner", x) + 1

    return f(1) + f(2)


@return_from_a_nested_function.twin
def _(p):
    def f(x):
        return 7 if x == 1 else p.call("inner", x) + 1

    return f(1) + f(2)


@case("init()", Return(None))
def return_from_init(p):
    class C:
        def __init__(self):
            self.a = p.call("a")
            self.b = p.call("init")

    return sorted(vars(C()))


@return_from_init.twin
def _(p):
    p.call("a")
    return ["a"]
