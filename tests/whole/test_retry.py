"""Retry goes on at the failing instruction: the run puts out what it would have put out, in all kinds of code."""

from __future__ import annotations

from daifu_bc import Retry
from whole.crash_at import Items, Manager, crash_at


@crash_at(2, Retry())
def test_retry_in_plain_code(out):
    x = out(1)
    y = out(2)
    return out(x + y)


@crash_at(3, Retry())
def test_retry_keeps_finished_calls_of_the_statement(out):
    return [out(1), out(2) * out(3), out(4)], out(5)


@crash_at((1, "b"), Retry())
def test_retry_in_a_loop_body(out):
    seen = []
    for i in range(3):
        seen.append((out((i, "a")), out((i, "b"))))
    return seen


@crash_at("next 2", Retry())
def test_retry_in_a_loop_header_asks_the_same_iterator(out):
    return [out(item) for item in Items(out, 1, 2, 3)]


@crash_at("next 20", Retry())
def test_retry_in_the_header_of_an_inner_loop(out):
    seen = []
    for outer in Items(out, 1, 2):
        for inner in Items(out, outer, 10 * outer):
            seen.append(out((outer, inner)))
    else:
        out("else")
    return seen


@crash_at(("test", 2), Retry())
def test_retry_in_a_while_test(out):
    n = 0
    while out(("test", n)) != ("test", 3):
        n += 1
    else:
        out("else")
    return n


@crash_at("b", Retry())
def test_retry_inside_with(out):
    with Manager(out, "m") as m, Manager(out, "n"):
        out("a")
        out("b")
    return m


@crash_at("enter n", Retry())
def test_retry_of_an_enter(out):
    with Manager(out, "m"), Manager(out, "n") as n:
        return out(n)


@crash_at("exit m", Retry())
def test_retry_of_an_exit(out):
    with Manager(out, "m"):
        out("body")
    return out("after")


@crash_at("body", Retry())
def test_retry_inside_try_runs_no_finally_before(out):
    try:
        out("body")
    except KeyError:
        out("handler")
    else:
        out("else")
    finally:
        out("finally")


@crash_at("handler", Retry())
def test_retry_inside_an_except_clause(out):
    try:
        {}["missing"]
    except KeyError as error:
        out("handler")
        return error.args
    finally:
        out("finally")


@crash_at("finally", Retry())
def test_retry_inside_finally(out):
    for item in range(2):
        try:
            if item:
                return out("return")
        finally:
            out("finally")


@crash_at("group", Retry())
def test_retry_inside_except_star(out):
    try:
        raise ExceptionGroup("some", [KeyError(1), ValueError(2)])
    except* KeyError as group:
        out("group")
        first = len(group.exceptions)
    except* ValueError:
        out("values")
    return first


@crash_at((1, 1), Retry())
def test_retry_inside_comprehensions(out):
    return [[out((i, j)) for j in range(3)] for i in range(3)], {out(k): out(-k) for k in (5, 6)}, {out("s") for _ in "ab"}  # noqa: E501


@crash_at(-6, Retry())
def test_retry_inside_a_dict_comprehension_keeps_the_key(out):
    return {out(k): out(-k) for k in (5, 6, 7)}


@crash_at(2, Retry())
def test_retry_inside_a_generator_expression(out):
    return sum(out(item) for item in range(4)), list(out(item) for item in "ab")


@crash_at(2, Retry())
def test_retry_inside_a_generator(out):
    def items():
        try:
            for item in range(4):
                yield out(item)
        finally:
            out("closed")

    return [item for item in items()]


@crash_at(1, Retry())
def test_retry_in_a_generator_that_is_driven_by_plain_code(out):
    for item in range(3):
        sent = yield out(item)
        out(("sent", sent))


@crash_at("inner 1", Retry())
def test_retry_below_yield_from(out):
    def inner():
        for item in range(3):
            yield out(f"inner {item}")
        return "done"

    def outer():
        out((yield from inner()))

    return list(outer())


@crash_at("b", Retry())
async def test_retry_inside_a_coroutine(out):
    async def inner(value):
        return out(value)

    return [await inner("a"), await inner("b"), out(await inner("c"))]


@crash_at((1, "body"), Retry())
async def test_retry_inside_an_async_generator_and_async_for(out):
    async def items():
        for item in range(3):
            out((item, "before"))
            yield item
            out((item, "after"))

    return [out((item, "body")) async for item in items()]


@crash_at((1, "before"), Retry())
async def test_retry_inside_what_an_async_for_asks(out):
    async def items():
        for item in range(3):
            yield out((item, "before"))

    async for item in items():
        out(item)


@crash_at("body", Retry())
async def test_retry_inside_async_with(out):
    async with Manager(out, "a"), Manager(out, "b") as b:
        out("body")
    return b


@crash_at(1, Retry())
async def test_retry_in_an_async_generator_that_is_driven_by_plain_code(out):
    for item in range(3):
        yield out(item)


@crash_at("inner", Retry())
def test_retry_inside_a_closure_shares_the_cells(out):
    count = 0

    def inner(add):
        nonlocal count
        count += 1
        out("inner")
        count += add
        return lambda: count

    read = inner(10)
    count += 100
    return read(), count


@crash_at("base", Retry())
def test_retry_inside_a_method_with_super(out):
    class Base:
        def __init__(self, value):
            self.value = out(value)

    class Derived(Base):
        def __init__(self):
            out("before")
            super().__init__("base")
            self.kind = __class__.__name__

    made = Derived()
    return made.value, made.kind


@crash_at("field", Retry())
def test_retry_inside_a_class_body(out):
    class Made:
        first = out("first")
        second = out("field")

        def method(self):
            return __class__.__name__, self.first, self.second

        out("end")

    return Made().method()


@crash_at(2, Retry())
def test_retry_inside_a_lambda(out):
    return (lambda a, *rest, key=0, **more: (out(a), out(key), rest, more))(1, 5, key=2, other=3)


@crash_at("y", Retry())
def test_retry_in_operators_of_control(out):
    a = out("x") and out("y") and out("z")
    b = out(1) < out(2) < out(3)
    c = out("yes") if out(True) else out("no")
    d = f"{out('p')!r:>5}{out('q')}"
    return a, b, c, d


@crash_at(2, Retry())
def test_retry_in_a_chained_comparison(out):
    return out(1) < out(2) < out(3)


@crash_at("k", Retry())
def test_retry_in_stores_to_several_places(out):
    a, b = {}, {}
    a[out("i")] = b[out("j")] = out("k")
    a[out("i")] += out("l")
    return a, b


@crash_at(("case", 2), Retry())
def test_retry_inside_match(out):
    for subject in ([1], {"k": 2}, 3):
        match subject:
            case [x]:
                out(("case", x))
            case {"k": x} if out(("guard", x)):
                out(("case", x))
            case _:
                out("other")


@crash_at("value", Retry(), keep="all")
def test_retry_keeps_results_of_operators_where_that_is_asked(out):
    class Noisy:
        def __add__(self, other):
            return out(("add", other))

        def __getitem__(self, key):
            return out(("get", key))

    noisy = Noisy()
    return (noisy + 1), noisy[2], out("value")
