"""Cases of the restart use: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import Use
from sweep.twins import case


@case("f(1)", Use(42))
def use_result_of_a_call(p):
    return p.call("g", p.call("f", p.call("x")), p.call("y"))


@use_result_of_a_call.twin
def _(p):
    p.call("x")
    return p.call("g", 42, p.call("y"))


@case("V(1) add V(2)", Use(42))
def use_result_of_an_operator(p):
    a, b = p.value(1), p.value(2)
    return p.call("g", (a + b) * 2, p.call("y"))


@use_result_of_an_operator.twin
def _(p):
    return p.call("g", 84, p.call("y"))


@case("next it", Use(42), number=1)
def use_next_item_of_a_loop(p):
    seen = []
    for x in p.iter(2):
        seen.append(p.call("body", x))
    return seen


@use_next_item_of_a_loop.twin
def _(p):
    it, seen = p.iter(2), []
    seen.append(p.call("body", next(it)))
    seen.append(p.call("body", 42))
    for x in it:
        seen.append(p.call("body", x))
    return seen


@case("next it", Use(42), number=1)
def use_next_item_of_a_comprehension(p):
    return p.call("f", p.call("a"), [p.call("body", x) for x in p.iter(2)])


@use_next_item_of_a_comprehension.twin
def _(p):
    it = p.iter(2)
    a, one = p.call("a"), [p.call("body", next(it))]
    return p.call("f", a, [*one, p.call("body", 42), *(p.call("body", x) for x in it)])


@case("enter m", Use("entered"))
def use_result_of_enter(p):
    with p.manager("m") as m:
        p.call("body", m)
    return p.call("after")


@use_result_of_enter.twin
def _(p):
    m = p.manager("m")
    p.call("body", "entered")
    m.__exit__(None, None, None)
    return p.call("after")


@case("iter iterable", Use((7, 8)))
def use_sequence_to_unpack(p):
    a, b = p.iterable(2)
    return p.call("f", a, b)


@use_sequence_to_unpack.twin
def _(p):
    return p.call("f", 7, 8)


@case("await a", Use(42))
def use_result_of_an_await(p):
    async def f():
        return p.call("f", p.call("x"), await p.awaitable("a", 1))

    return p.drive(f())


@use_result_of_an_await.twin
def _(p):
    return p.call("f", p.call("x"), 42)


@case("step a", Use(42), number=1)
def use_result_of_an_await_that_was_suspended(p):
    async def f():
        return p.call("f", p.call("x"), await p.awaitable("a", 1))

    return p.drive(f())


@use_result_of_an_await_that_was_suspended.twin
def _(p):
    x = p.call("x")
    steps = p.awaitable("a", 1).__await__()
    next(steps)
    return p.call("f", x, 42)


@case("test(False)", Use(True))
def use_in_a_condition(p):
    if p.call("test", False):
        return p.call("then")
    return p.call("else")


@use_in_a_condition.twin
def _(p):
    return p.call("then")


@case("V(1) add= 1", Use(5))
def use_result_of_an_augmented_assignment(p):
    v = p.value([p.value(1)])
    v[0] += 1
    return v


@use_result_of_an_augmented_assignment.twin
def _(p):
    v = p.value([p.value(1)])
    v[0]
    v[0] = 5
    return v


@case("next g", Use(42), number=1)
def use_for_a_generator_that_is_finished(p):
    seen = []
    for x in p.mortal_items(3, "g"):
        seen.append(p.call("body", x))
    return seen


@use_for_a_generator_that_is_finished.twin
def _(p):
    g, seen = p.mortal_items(3, "g"), []
    seen.append(p.call("body", next(g)))
    seen.append(p.call("body", 42))
    return seen


@case("inner()", Use(42))
def use_in_an_inner_generator(p):
    def g():
        yield p.call("one")
        yield p.call("inner")

    return [p.call("use", x) for x in g()]


@use_in_an_inner_generator.twin
def _(p):
    return [p.call("use", p.call("one")), p.call("use", 42)]


@case("find fake_a", lambda crash: Use(__import__("math")))
def use_a_module_for_an_import(p):
    with p.importing():
        import fake_a

        return p.call("f", fake_a.__name__)


@use_a_module_for_an_import.twin
def _(p):
    return p.call("f", "math")


@case("V(5).name", Use(3))
def use_value_of_an_attribute(p):
    v = p.value(5, name=1)
    return p.call("f", v.name + 1)


@use_value_of_an_attribute.twin
def _(p):
    return p.call("f", 4)


@case("V(dict())[1]", Use(3))
def use_value_of_a_subscript(p):
    v = p.value({})
    return p.call("f", p.call("x"), v[1])


@use_value_of_a_subscript.twin
def _(p):
    return p.call("f", p.call("x"), 3)
