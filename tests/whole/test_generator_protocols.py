"""Generators and coroutines after a recovery: send, throw, close, return values, and what inspect says of them."""

from __future__ import annotations

import asyncio
import contextlib
import inspect

import pytest

import daifu_bc
from daifu_bc import Abort, Retry
from whole.crash_at import Boom, Out, caught_from, collect


def entry(function, restart=Retry()):
    """Protected; the first crash of `out` is answered, what the program throws itself is not."""
    daifu_bc.protect(
        function, on_crash=lambda crash: restart if isinstance(crash.exception, Boom) else Abort(), scope="nested"
    )
    return function


def three(out):
    received = []
    try:
        for item in range(3):
            out(("before", item))
            try:
                received.append((yield item))
            except ValueError as error:
                received.append(error.args[0])
    finally:
        out("closed")
    return received


RECOVERED = [("before", 0), ("before", 1)]


@pytest.mark.parametrize("where", [None, *RECOVERED])
def test_sent_values_arrive(where):
    items = entry(three)(Out(where))
    assert next(items) == 0
    assert items.send("a") == 1
    assert items.send("b") == 2
    with pytest.raises(StopIteration) as end:
        items.send("c")
    assert end.value.value == ["a", "b", "c"]


@pytest.mark.parametrize("where", [None, *RECOVERED])
def test_exceptions_thrown_in_arrive_and_are_not_asked_about(where):
    items = entry(three)(Out(where))
    assert [next(items), next(items)] == [0, 1]
    assert items.throw(ValueError("thrown")) == 2
    with pytest.raises(StopIteration) as end:
        next(items)
    assert end.value.value == [None, "thrown", None]


@pytest.mark.parametrize("where", [None, *RECOVERED])
def test_what_it_does_not_handle_comes_out_again(where):
    out = Out(where)
    items = entry(three)(out)
    next(items)
    next(items)
    error = KeyError("thrown")
    with pytest.raises(KeyError) as caught:
        items.throw(error)
    assert caught.value is error
    assert out.log[-1] == "closed"
    assert next(items, "end") == "end"


@pytest.mark.parametrize("where", [None, *RECOVERED])
def test_closing_runs_finally_once(where):
    out = Out(where)
    items = entry(three)(out)
    next(items)
    next(items)
    items.close()
    items.close()
    assert out.log.count("closed") == 1
    assert inspect.getgeneratorstate(items) == inspect.GEN_CLOSED


@pytest.mark.parametrize("where", [None, *RECOVERED])
def test_dropping_it_runs_finally(where):
    out = Out(where)
    items = entry(three)(out)
    next(items)
    next(items)
    del items
    assert out.log[-1] == "closed"


def test_its_state_is_that_of_a_suspended_generator():
    items = entry(three)(Out(("before", 1)))
    assert inspect.getgeneratorstate(items) == inspect.GEN_CREATED
    next(items)
    next(items)
    assert inspect.getgeneratorstate(items) == inspect.GEN_SUSPENDED
    assert items.gi_frame is not None and not items.gi_running


def test_a_generator_that_yields_from_a_recovered_one():
    def outer(out):
        return (yield from three(out))

    out = Out(("before", 1))
    entry(three)
    items = entry(outer)(out)
    assert [next(items), items.send("a"), items.throw(ValueError("t"))] == [0, 1, 2]
    with pytest.raises(StopIteration) as end:
        items.send("c")
    assert end.value.value == ["a", "t", "c"]


def test_many_recoveries_in_one_generator():
    def program():
        failed = set()

        def call(item):
            if item not in failed:
                failed.add(item)
                raise Boom
            return item

        def items():
            for item in range(50):
                yield call(item)

        return [item for item in items()]

    assert entry(program)() == list(range(50))


def test_stop_iteration_inside_becomes_a_runtime_error_as_always():
    def items(out):
        yield out(1)
        next(iter([]))

    error = caught_from(list, entry(items)(Out(1)))
    assert type(error) is RuntimeError and type(error.__cause__) is StopIteration


def test_a_contextmanager_recovers_in_its_setup_and_in_its_cleanup():
    def program(out):
        @contextlib.contextmanager
        def manager():
            out("setup")
            try:
                yield out("value")
            finally:
                out("cleanup")

        with manager() as value:
            out("body")
        return value

    expected = ["setup", "value", "body", "cleanup"]
    for where in expected:
        out = Out(where)
        assert entry(program)(out) == "value"
        assert out.log == expected


def test_a_coroutine_that_is_cancelled_after_a_recovery():
    async def worker(out):
        out("before")
        try:
            await asyncio.Event().wait()
        finally:
            out("cancelled")

    async def program(out):
        task = asyncio.ensure_future(worker(out))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return task.cancelled()

    out = Out("before")
    entry(worker)
    assert asyncio.run(entry(program)(out)) is True
    assert out.log == ["before", "cancelled"]


def test_an_async_generator_that_is_sent_thrown_into_and_closed():
    async def items(out):
        received = []
        try:
            for item in range(4):
                out(("before", item))
                try:
                    received.append((yield item))
                except ValueError:
                    received.append("thrown")
        finally:
            out(tuple(received))

    async def program(out, where):
        made = entry(items)(out)
        seen = [await anext(made), await made.asend("a"), await made.athrow(ValueError()), await anext(made)]
        await made.aclose()
        return seen

    for where in [None, ("before", 0), ("before", 1), ("before", 2)]:
        out = Out(where)
        assert asyncio.run(program(out, where)) == [0, 1, 2, 3]
        assert out.log[-1] == ("a", "thrown", None)


def test_an_async_generator_is_exhausted_after_its_end():
    async def items(out):
        yield out(1)
        yield out(2)

    async def program(out):
        made = entry(items)(out)
        return await collect(made), await collect(made)

    assert asyncio.run(program(Out(2))) == ([1, 2], [])


def test_a_coroutine_is_awaited_once():
    async def program(out):
        return out(1)

    coroutine = entry(program)(Out(1))
    assert asyncio.run(coroutine) == 1
    with pytest.raises(RuntimeError):
        coroutine.send(None)


def test_awaitables_in_between_see_the_values_that_are_sent():
    class Awaitable:
        def __await__(self):
            return (yield "asked")

    async def program(out):
        out("x")
        first = await Awaitable()
        out("y")
        return first, await Awaitable()

    for where in "xy":
        coroutine = entry(program)(Out(where))
        assert coroutine.send(None) == "asked"
        assert coroutine.send(1) == "asked"
        with pytest.raises(StopIteration) as end:
            coroutine.send(2)
        assert end.value.value == (1, 2)
