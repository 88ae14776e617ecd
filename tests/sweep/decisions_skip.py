"""Cases of the restart skip: program, failing point, restart, and the program edited by hand.

In: nothing. Out: `CASES` of twins.py is filled on import. Always true: each twin is what a reader of the
restart's line
in the design would write by hand.
"""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as their bytecode)

from __future__ import annotations

from daifu_bc import Skip
from sweep.twins import case


@case("f(1)", Skip())
def skip_a_statement(p):
    x = p.call("x")
    x = p.call("f", x)
    return p.call("g", x)


@skip_a_statement.twin
def _(p):
    x = p.call("x")
    return p.call("g", x)


@case("body(1)", Skip())
def skip_in_a_loop(p):
    seen = []
    for x in p.iter(3):
        seen.append(p.call("body", x))
        seen.append(p.call("after", x))
    return seen


@skip_in_a_loop.twin
def _(p):
    seen = []
    for x in p.iter(3):
        if x != 1:
            seen.append(p.call("body", x))
        seen.append(p.call("after", x))
    return seen


@case("body(1)", Skip())
def skip_the_last_statement_of_a_loop_body(p):
    for x in p.iter(3):
        p.call("before", x)
        p.call("body", x)
    return p.call("end")


@skip_the_last_statement_of_a_loop_body.twin
def _(p):
    for x in p.iter(3):
        p.call("before", x)
        if x != 1:
            p.call("body", x)
    return p.call("end")


@case("body()", Skip())
def skip_in_a_with(p):
    with p.manager("m"):
        x = p.call("body")
    return p.call("after")


@skip_in_a_with.twin
def _(p):
    with p.manager("m"):
        pass
    return p.call("after")


@case("body()", Skip())
def skip_in_a_try_runs_else_and_finally(p):
    try:
        x = p.call("body")
    except ValueError:
        p.call("never")
    else:
        p.call("else")
    finally:
        p.call("finally")
    return p.call("after")


@skip_in_a_try_runs_else_and_finally.twin
def _(p):
    p.call("else")
    p.call("finally")
    return p.call("after")


@case("last()", Skip())
def skip_the_last_statement_of_a_function(p):
    p.call("first")
    return p.call("last")


@skip_the_last_statement_of_a_function.twin
def _(p):
    p.call("first")
    return None


@case("handler()", Skip())
def skip_in_a_handler(p):
    try:
        raise ValueError
    except ValueError:
        p.call("handler")
        p.call("second")
    return p.call("after")


@skip_in_a_handler.twin
def _(p):
    p.call("second")
    return p.call("after")


@case("test(1)", Skip())
def skip_an_if_with_its_body(p):
    if p.call("test", 1):
        p.call("then")
    else:
        p.call("else")
    return p.call("after")


@skip_an_if_with_its_body.twin
def _(p):
    return p.call("after")


@case("c(1)", Skip())
def skip_a_statement_with_a_comprehension(p):
    out = "before"
    out = [p.call("c", x) for x in p.iter(3)]
    return out, p.call("after")


@skip_a_statement_with_a_comprehension.twin
def _(p):
    it = p.iter(3)
    next(it), p.call("c", 0), next(it)
    return "before", p.call("after")


@case("b()", Skip())
def skip_in_a_class_body(p):
    class C:
        a = p.call("a")
        b = p.call("b")
        c = p.call("c")

    return C.a, C.c, hasattr(C, "b")


@skip_in_a_class_body.twin
def _(p):
    return p.call("a"), p.call("c"), False


@case("inner()", Skip())
def skip_in_a_nested_generator(p):
    def g():
        yield p.call("one")
        p.call("inner")
        yield p.call("two")

    return [p.call("use", x) for x in g()]


@skip_in_a_nested_generator.twin
def _(p):
    return [p.call("use", p.call("one")), p.call("use", p.call("two"))]


@case("one()", Skip())
def skip_one_of_several_on_a_line(p):
    a = b = 0
    a = p.call("zero")
    b = p.call("one")
    a += p.call("two")
    return a, b


@skip_one_of_several_on_a_line.twin
def _(p):
    a = p.call("zero")
    a += p.call("two")
    return a, 0


@case("next it", Skip(), number=1)
def skip_a_loop_whose_header_failed(p):
    for x in p.iter(3):
        p.call("body", x)
    return p.call("after")


@skip_a_loop_whose_header_failed.twin
def _(p):
    it = p.iter(3)
    p.call("body", next(it))
    return p.call("after")
