"""What callers, callees and the rest of the process see of a recovery: nothing."""

from __future__ import annotations

import asyncio
import gc
import inspect
import sys
import threading
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import daifu_bc
from daifu_bc import Abort, Retry


def flaky(error=OSError):
    failed = set()

    def call(item):
        if item not in failed:
            failed.add(item)
            raise error(item)
        return item

    return call


def caught_from(function):
    """What comes out of `function`, caught by a caller that catches everything: one that names it would handle it."""
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def protect(function, policy=lambda crash: Retry(), scope="nested"):
    return daifu_bc.protect(function, on_crash=policy, scope=scope)


def test_tracebacks_have_one_entry_per_function():
    call = flaky()

    def program():
        for item in range(3):
            call(item)
        inner()

    def inner():
        raise ZeroDivisionError

    def policy(crash):
        return Retry() if isinstance(crash.exception, OSError) else None

    with pytest.raises(ZeroDivisionError) as caught:
        protect(program, policy)()
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[1:] == ["program", "inner"]
    assert caught.value.__context__ is None


def test_handled_exceptions_are_those_of_the_undisturbed_run():
    call = flaky()

    def program():
        try:
            raise KeyError(1)
        except KeyError as outer:
            call(1)
            try:
                {}["q"]
            except KeyError as inner:
                return inner.__context__ is outer, sys.exception() is inner, call(2)

    assert protect(program)() == (True, True, 2)
    assert sys.exception() is None


def test_ten_thousand_recoveries_leave_stack_and_memory_flat():
    depths, seen = set(), []

    class Item:
        pass

    def call(item):
        item.tries = getattr(item, "tries", 0) + 1
        if item.tries == 1:
            raise OSError
        depths.add(len(inspect.stack(0)))

    def program():
        for _ in range(10_000):
            item = Item()
            seen.append(weakref.ref(item))
            call(item)

    gc.disable()
    try:
        protect(program)()
    finally:
        gc.enable()
    assert len(depths) == 1
    assert not any(reference() is not None for reference in seen)


def test_what_the_failed_call_held_is_free_before_the_program_goes_on():
    held = []

    class Tensor:
        pass

    def callee():
        tensor = Tensor()
        held.append(weakref.ref(tensor))
        if len(held) == 1:
            raise MemoryError
        return held[0]() is None

    def program():
        return library(callee)

    def library(function):
        return function()

    gc.disable()
    try:
        assert protect(program, lambda crash: daifu_bc.At(len(crash.frames) - 1, Retry()))()
    finally:
        gc.enable()


def test_an_abort_leaves_nothing_alive_and_asks_once():
    asked, held = [], []

    class Tensor:
        pass

    def inner():
        tensor = Tensor()
        held.append(weakref.ref(tensor))
        return {}["missing"]

    def program():
        return inner()

    def policy(crash):
        asked.append(crash.function)
        return Abort()

    gc.disable()
    try:
        assert isinstance(caught_from(protect(program, policy)), KeyError)
        assert [reference() for reference in held] == [None]
    finally:
        gc.enable()
    assert len(asked) == 1


def test_a_crash_at_recursion_depth_900_recovers():
    call = flaky()

    def program(n=900):
        return call(n) if n == 0 else program(n - 1) + 1

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 200)  # the test runner has taken some of it
    try:
        assert protect(program)() == 900
    finally:
        sys.setrecursionlimit(limit)


def test_crashes_in_several_threads_at_once_do_not_mix():
    barrier = threading.Barrier(8)

    def program():
        def work(number):
            call, out = flaky(), []
            barrier.wait()
            for item in range(50):
                out.append(call((number, item)))
            return out

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(work, range(8)))

    assert protect(program)() == [[(number, item) for item in range(50)] for number in range(8)]


def test_tasks_made_below_an_entry_are_below_it():
    call = flaky()

    async def work(number):
        await asyncio.sleep(0)
        return call(number)

    async def program():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work(number)) for number in range(3)]
        return [task.result() for task in tasks], await asyncio.gather(work(4), work(5))

    daifu_bc.protect(work, scope="nested")
    assert asyncio.run(protect(program)()) == ([0, 1, 2], [4, 5])


def test_without_a_decision_the_exception_goes_on_as_always():
    def program(items=(1,)):
        return items[5]

    error = caught_from(daifu_bc.protect(program, scope="nested"))
    assert type(error) is IndexError
    assert not getattr(error, "__notes__", None)


def test_an_internal_error_lets_the_exception_out_with_a_note(monkeypatch):
    from daifu_bc import recovery

    def broken(*_args):
        raise LookupError("a fault of ours")

    monkeypatch.setattr(recovery, "plan", broken)

    def program():
        return {}["missing"]

    error = caught_from(protect(program))
    assert type(error) is KeyError
    assert "a fault of ours" in "".join(error.__notes__)


def test_a_policy_that_fails_is_a_note_and_the_next_decider_is_asked():
    call = flaky()

    def program():
        return call(3)

    def policy(crash):
        raise ValueError("a policy's fault")

    before = daifu_bc.set_default_policy(lambda crash: Retry())
    try:
        assert protect(program, policy)() == 3
    finally:
        daifu_bc.set_default_policy(before)
