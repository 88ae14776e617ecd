"""Programs: with: one, several, nested, in loops, left by return, break, continue and exceptions."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import either


def with_one(p):
    with p.manager("a") as a:
        p.call("body", a)
    return p.call("after")


def with_several(p):
    with p.manager("a") as a, p.manager("b"), p.manager("c") as c:
        p.call("body", a, c)
    return p.call("after")


def with_parenthesised(p):
    with (
        p.manager("a") as a,
        p.manager(p.call("name", "b")) as b,
    ):
        return p.call("result", a, b)


def with_nested(p):
    with p.manager("a"):
        p.call("one")
        with p.manager("b"):
            p.call("two")
        p.call("three")
    return p.call("after")


def with_targets(p):
    v = p.value([0])
    with p.manager("ab") as (x, y), p.manager("c") as v[0], p.manager("d") as v.name:
        p.call("body", x, y, v[0], v.name)
    return v


def with_in_a_loop(p):
    seen = []
    for x in p.iter(2):
        with p.manager("m"):
            seen.append(p.call("body", x))
    return seen


def loop_in_a_with(p):
    with p.manager("m"):
        for x in p.iter(2):
            p.call("body", x)
    return x


def with_left_by_return(p):
    with p.manager("a"):
        with p.manager("b"):
            return p.call("result", p.call("x"))


def with_left_by_break_and_continue(p):
    for x in p.iter(4):
        with p.manager("a"):
            if p.call("skip", x == 0):
                continue
            with p.manager("b"):
                if p.call("stop", x == 2):
                    break
                p.call("body", x)
    return x


def with_left_by_a_handled_exception(p):
    try:
        with p.manager("a"):
            with p.manager("b"):
                p.call("body")
                raise ValueError(p.call("message", "m"))
    except ValueError as error:
        return p.call("handled", str(error))


def with_that_swallows(p):
    with p.swallower("s"):
        p.call("body")
        raise ValueError("gone")
    return p.call("after")


def with_swallower_around_a_manager(p):
    with p.swallower("s"):
        with p.manager("m"):
            p.call("body")
    with p.manager("n"):
        p.call("outside")
    return p.call("after")


def with_inside_try_inside_with(p):
    with p.manager("a"):
        try:
            with p.manager("b"):
                p.call("body")
        finally:
            p.call("finally")
    return p.call("after")


def with_expression_has_effects(p):
    managers = [p.manager("a"), p.manager("b")]
    with managers[p.call("i", 0)], managers[p.call("j", 1)]:
        p.call("body")
    return None


def with_a_user_class(p):
    class M:
        def __init__(self, name):
            self.name = p.call("init", name)

        def __enter__(self):
            p.call("enter", self.name)
            return self

        def __exit__(self, kind, error, traceback):
            p.call("exit", self.name, kind is None)

    with M(p.call("x")) as m, M("second"):
        p.call("body", m.name)
    return p.call("after")


def with_a_user_class_that_swallows(p):
    class M:
        def __enter__(self):
            p.call("enter")

        def __exit__(self, kind, error, traceback):
            p.call("exit")
            return kind is ValueError

    with M():
        p.call("body")
        raise ValueError
    return p.call("after")


with_a_user_class_that_swallows = either("body")(with_a_user_class_that_swallows)


def with_and_yield(p):
    def f():
        for x in p.iter(2):
            with p.manager("m"):
                yield p.call("item", x)

    return [p.call("use", x) for x in f()]


def with_twenty_deep_expression(p):
    with p.manager("a"), p.manager("b"), p.manager("c"), p.manager("d"), p.manager("e"), p.manager("f"):
        for x in p.iter(2):
            p.call("body", [p.call("x", x), [p.call("y")]])
    return x


def with_return_of_a_loop_variable(p):
    for x in p.iter(3):
        with p.manager("m") as name:
            for y in p.iter(2, "inner"):
                if p.call("test", x + y == 2):
                    return name, x, y
    return None
