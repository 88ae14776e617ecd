"""`state` of the loops of a crash, and what each means for a retry of the loop header."""

from __future__ import annotations

import itertools

import pytest

import daifu_bc
from daifu_bc import Abort, NextIteration, Retry, Use
from whole.crash_at import Boom, Items, Out, caught_from, collect, drive


def broken_generator(out, *items):
    for item in items:
        if item is None:
            raise Boom("source")
        yield out(item)


def abort_and_look(program, *args):
    seen = []

    def policy(crash):
        seen.append(([loop.state for loop in crash.loops], crash.can(Retry())))
        return Abort()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    return caught_from(drive, program, *args), seen[0]


@pytest.mark.parametrize(
    "layer",
    [
        lambda source: source,
        enumerate,
        lambda source: zip(source, itertools.count()),
        lambda source: map(lambda item: item, source),
        lambda source: itertools.chain([0], source),
        lambda source: itertools.islice(source, 10),
        lambda source: filter(None, enumerate(source)),
    ],
    ids=["itself", "enumerate", "zip", "map", "chain", "islice", "filter of enumerate"],
)
def test_a_generator_that_raised_is_dead_also_below_c_iterators(layer):
    def program(out):
        for item in layer(broken_generator(out, 1, None, 2)):
            out(item)

    out = Out()
    _, (states, reason) = abort_and_look(program, out)
    assert states == ["dead"]
    assert "finished for good" in reason or "in silence" in reason
    assert "use VALUE" in reason and "crash.loops[0].iterator" in reason


def test_a_dead_generator_can_be_left_by_supplying_the_item_and_a_fresh_iterator():
    def program(out):
        seen = []
        for item in broken_generator(out, 1, None):
            seen.append(item)
        return seen

    def policy(crash):
        crash.loops[0].iterator = iter([3])
        return Use(2)

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(Out()) == [1, 2, 3]


def test_an_iterator_of_a_class_that_raised_is_alive():
    def program(out):
        for item in Items(out, 1, 2):
            out(item)

    _, (states, reason) = abort_and_look(program, Out("next 2"))
    assert states == ["alive"]
    assert reason is None


def test_a_dict_that_changed_size_is_invalid():
    def program():
        table = {1: 1, 2: 2}
        for key in table:
            table[key + 10] = 1

    error, (states, reason) = abort_and_look(program)
    assert type(error) is RuntimeError
    assert states == ["invalid"]
    assert "changed its size" in reason


def test_an_invalid_iterator_can_be_replaced():
    def program():
        table, seen = {1: 1, 2: 2}, []
        for key in table:
            seen.append(key)
            table[key + 10] = 1
        return seen

    def policy(crash):
        crash.loops[0].iterator = iter([])
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == [1]


def test_an_exhausted_iterator_is_not_dead():
    def program(out):
        for item in [1, 2]:
            out(item)
        return out("after")

    states = []

    def policy(crash):
        crash.loops[0].iterator = iter([])
        states.append(crash.loops[0].state)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(Out(1)) == "after"
    assert states == ["exhausted"]


def test_next_of_an_exhausted_loop_ends_it():
    def program(out):
        seen = []
        for item in (value for value in [1, 2]):
            seen.append(out(item))
        return seen

    daifu_bc.protect(program, on_crash=lambda crash: NextIteration(), scope="nested")
    assert program(Out(2)) == [1]


def test_the_dead_async_generator_of_an_async_for():
    async def source(out):
        for item in (1, 2):
            yield out(item)

    async def program(out):
        return await collect(source(out))

    async def in_the_loop(out):
        return [item async for item in source(out)]

    error, (states, reason) = abort_and_look(in_the_loop, Out(2))
    assert type(error) is Boom
    assert reason is None or "finished" in reason
    assert drive(program, Out()) == [1, 2]


def test_a_generator_that_was_recovered_before_it_raised_is_dead():
    out, seen = Out(1), []

    def program():
        def items():
            yield out(1)
            raise Boom("for good")

        return [item for item in map(str, items())]

    def policy(crash):
        if crash.frame == 0 and crash.loops == []:
            return Retry() if not out.log else None
        seen.append((crash.loops[0].state, crash.can(Retry())))
        return None

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is Boom
    assert seen[0][0] == "dead" and seen[0][1] is not None
