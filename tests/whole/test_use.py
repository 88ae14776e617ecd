"""Use goes on behind the failing instruction, with a value as its result; where there is none it is refused."""

from __future__ import annotations

import daifu_bc
from daifu_bc import Use
from whole.crash_at import Items, Manager, Out, caught_from, crash_at, drive
from whole.fails import Fails, used


@crash_at(2, Use(20), [1, 3], result=[1, 20, 3])
def test_the_result_of_a_call(out):
    return [out(1), out(2), out(3)]


@crash_at((1, "x"), Use(7), [(0, "x"), (2, "x")], result=[(0, "x"), 7, (2, "x")])
def test_the_result_of_a_call_in_a_loop(out):
    seen = []
    for i in range(3):
        seen.append(out((i, "x")))
    return seen


@crash_at("next 2", Use(9), ["next 1", 1, 9, "next 2", 2])
def test_the_next_item_of_a_loop_header(out):
    for item in Items(out, 1, 2):
        out(item)


class Pairs(Items):
    def __next__(self):
        super().__next__()
        return 1, 2


@crash_at("next 2", Use((8, 9)), ["next 1", (1, 2), (8, 9), "next 2", (1, 2)])
def test_the_next_item_is_unpacked(out):
    for a, b in Pairs(out, 1, 2):
        out((a, b))


def test_the_results_of_all_kinds_of_operators():
    assert used(lambda x: [x + 1], 5) == [5]
    assert used(lambda x: [x @ 1], 5) == [5]
    assert used(lambda x: [x["k"]], 5) == [5]
    assert used(lambda x: [x[1:2]], 5) == [5]
    assert used(lambda x: [-x], 5) == [5]
    assert used(lambda x: [x < 1], 5) == [5]
    assert used(lambda x: [x.name], 5) == [5]
    assert used(lambda x: [x.method(3)], lambda number: number + 1) == [4]
    assert used(lambda x: [x(1)], 5) == [5]
    assert used(lambda x: "yes" if x else "no", 1) == "yes"
    assert used(lambda x: "yes" if x else "no", 0) == "no"
    assert used(lambda x: "yes" if 1 in x else "no", True) == "yes"
    assert used(lambda x: f"<{x}>", "5") == "<5>"
    assert used(lambda x: [item for item in x], [5, 6]) == [5, 6]
    assert used(lambda x: [item for item in zip(x, [1])], [(5, 6)]) == [(5, 6)]


def test_the_result_of_an_in_place_operator_is_stored():
    def program(x):
        x += 1
        return x

    assert used(program, 5) == 5


def test_the_loop_gets_the_iterator():
    def program(x):
        return [item for item in x], [x for x in range(2)]

    assert used(program, "ab") == (["a", "b"], [0, 1])


@crash_at("value", Use(5), ["done"], result=5)
async def test_the_result_of_an_await(out):
    class Awaitable:
        def __await__(self):
            yield from ()
            return out("value")

    x = await Awaitable()
    out("done")
    return x


class AsyncSource:
    """Whose one item fails."""

    def __init__(self, out):
        self.out, self.left = out, 1

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left = 0
        return self.out("next")


@crash_at("next", Use(5), [5, "end"], result=None)
async def test_the_next_item_of_an_async_for(out):
    async for item in AsyncSource(out):
        out(item)
    out("end")


def test_the_result_of_an_await_that_is_the_presented_one():
    out = Out("value")

    async def inner():
        return out("value")

    async def program():
        return [await inner(), out("after")]

    def policy(crash):
        names = [frame.function.rpartition(".")[2] for frame in crash.frames]
        return daifu_bc.At(names.index("program"), Use(5))

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert drive(program) == [5, "after"]


@crash_at("enter m", Use("as"), ["as", "exit m"])
def test_what_as_gets_from_a_with(out):
    with Manager(out) as m:
        out(m)


@crash_at("enter m", Use("as"), ["as", "exit m"])
async def test_what_as_gets_from_an_async_with(out):
    async with Manager(out) as m:
        out(m)


def test_the_sequence_to_unpack():
    def program(x):
        a, b = x
        return a, b

    assert used(program, [1, 2]) == (1, 2)

    def with_star(x):
        a, *rest = x
        return a, rest

    assert used(with_star, [1, 2, 3]) == (1, [2, 3])


def test_what_has_no_result_is_refused():
    def store(x):
        x["key"] = 1

    def extend(x):
        return [*x, 1]

    for program in (store, extend):
        reasons = []
        daifu_bc.protect(program, on_crash=lambda crash: reasons.append(crash.can(Use(5))), scope="nested")
        caught_from(program, Fails())
        assert "no single result" in reasons[0]


@crash_at("exit m", Use(True), ["body", "after"])
def test_the_exit_of_a_with(out):
    class Leaves:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            out("exit m")

    with Leaves():
        out("body")
    out("after")


@crash_at("name", Use(type), [], result=type)
def test_the_value_of_a_module_attribute(out):
    class Lazy:
        @property
        def name(self):
            return out("name")

    lazy = Lazy()
    return lazy.name


@crash_at(1, Use(10), [0, 2], result=[0, 10, 2])
def test_inside_a_generator_expression(out):
    return list(out(i) for i in range(3))


@crash_at("b", Use("B"), ["a", "c"], result=["a", "B", "c"])
def test_inside_a_generator(out):
    yield out("a")
    yield out("b")
    yield out("c")


@crash_at("y", Use(2), ["x"], result=("x", 2))
def test_inside_a_class_body(out):
    class Made:
        x = out("x")
        y = out("y")

    return Made.x, Made.y
