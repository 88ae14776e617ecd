"""After a recovery nothing of the crash is held: callees' variables, the crashed frame's old ones, records, stack."""

from __future__ import annotations

import asyncio
import gc
import sys
import tracemalloc
import weakref

import pytest

import daifu_bc
from daifu_bc import At, NextIteration, Redo, Retry, Return, Skip, Use
from whole.crash_at import Boom


@pytest.fixture(autouse=True)
def without_collector():
    """What is freed must be freed by reference counts: tensors do not wait for the collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Tensor:
    """Something large."""


class Fails:
    """A library's function that holds a tensor when it fails, the first time."""

    def __init__(self, times=1):
        self.left, self.held = times, []

    def __call__(self, *args):
        activations = Tensor()
        self.held.append(weakref.ref(activations))
        if self.left:
            self.left -= 1
            raise MemoryError
        return [reference() is None for reference in self.held[:-1]]


def nested(function):
    """Another library frame, with something of its own."""
    more = Tensor()
    return function(more)


def test_what_a_failed_call_held_is_free_before_the_retry():
    def program(call):
        return nested(call)

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Fails()) == [True]


def test_what_protected_callees_held_is_free_when_an_outer_frame_retries():
    def program(call):
        def inner(value):
            mine = Tensor()
            call.held.append(weakref.ref(mine))
            return call(mine)

        return nested(inner)

    daifu_bc.protect(program, on_crash=lambda crash: At(1, Retry()), scope="nested")
    assert all(program(Fails())[:2])


@pytest.mark.parametrize("restart", [Redo(), Skip(), NextIteration(), Use(None), Return(None)], ids=str)
def test_and_with_other_restarts(restart):
    call = Fails()

    def program():
        for _ in range(2):
            call(Tensor())

    daifu_bc.protect(program, on_crash=lambda crash: restart, scope="nested")
    program()
    assert call.held[0]() is None


def test_the_crashed_frames_own_old_variables_are_dropped():
    """A variable that the recovered function overwrites is free at once: the crashed frame holds no second copy."""
    call, freed = Fails(), []

    def program():
        tensor = Tensor()
        reference = weakref.ref(tensor)
        call()
        tensor = None
        freed.append(reference() is None)
        for item in [Tensor()]:
            freed.append(item is not None)
        return freed

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program() == [True, True]


def test_items_of_a_loop_are_free_after_their_iteration():
    call, references = Fails(), []

    def program():
        for item in (Tensor() for _ in range(3)):
            references.append(weakref.ref(item))
            call(item)
            item = None
            assert references[-1]() is None
        return len(references)

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program() == 3


def test_kept_results_are_free_at_the_statements_end():
    call, references = Fails(), []

    def make():
        made = Tensor()
        references.append(weakref.ref(made))
        return made

    def program():
        call(make(), make())
        return [reference() for reference in references]

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program() == [None, None]


def test_operands_left_on_the_crashed_frames_stack_are_dropped():
    call, references = Fails(), []

    def make():
        made = Tensor()
        references.append(weakref.ref(made))
        return made

    def program():
        result = [make(), call()]
        result = None
        return references[0]() is None

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program()


def test_the_exception_is_free_after_the_recovery():
    references = []

    def program():
        for item in range(3):
            fail_once(item)
        return [reference() for reference in references]

    failed = set()

    def fail_once(item):
        if item not in failed:
            failed.add(item)
            error = Boom()
            references.append(weakref.ref(error))
            raise error

    daifu_bc.protect(program, on_crash=lambda crash: At(len(crash.frames) - 1, Retry()), scope="nested")
    assert program()[:2] == [None, None]


def test_a_policy_that_keeps_the_crash_keeps_it_alive_and_nothing_breaks():
    call, kept = Fails(), []

    def program():
        return call(Tensor())

    def policy(crash):
        kept.append(crash)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program()
    for crash in kept:
        repr(crash)
        dict(crash.locals)
    kept.clear()


def depth_of_stack():
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def failing_loop(times):
    failed = set()

    def call(item):
        if item not in failed:
            failed.add(item)
            raise Boom
        failed.discard(item)
        return depth_of_stack()

    return call, times


def program(call, times, measured):
    depths = set()
    for item in range(times):
        depths.add(call(item))
        if item in (times // 4, times - 1):
            measured.append(tracemalloc.get_traced_memory()[0])
    return depths


def generator_program(call, times, measured):
    yield from program(call, times, measured)


async def coroutine_program(call, times, measured):
    depths = set()
    for item in range(times):
        depths.add(call(item))
        if item in (times // 4, times - 1):
            measured.append(tracemalloc.get_traced_memory()[0])
    return depths


@pytest.mark.parametrize(
    ("run", "function"),
    [
        (lambda *args: program(*args), program),
        (lambda *args: set(generator_program(*args)), program),
        (lambda *args: asyncio.run(coroutine_program(*args)), coroutine_program),
    ],
    ids=["plain", "below a generator", "coroutine"],
)
def test_two_thousand_recoveries_leave_stack_and_memory_flat(run, function):
    daifu_bc.protect(function, on_crash=lambda crash: Retry(), scope="nested")
    call, times = failing_loop(2_000)
    measured = []
    tracemalloc.start()
    try:
        depths = run(call, times, measured)
    finally:
        tracemalloc.stop()
    quarter, end = measured
    records = 1_500 * 1_200  # recoveries() keeps a line of text for each
    assert len(depths) <= 2  # the first recovery calls an unfinished procedure; the others take its place
    assert end - quarter < records


def test_a_generators_recoveries_are_flat_too():
    call, _ = failing_loop(1)
    depths = set()

    def items():
        for item in range(500):
            yield call(item)

    daifu_bc.protect(items, on_crash=lambda crash: Retry(), scope="nested")
    depths.update(items())
    assert len(depths) <= 2


def test_protecting_and_dropping_functions_leaves_no_records():
    from daifu_bc.transform import registry

    gc.collect()
    before = len(registry._records)
    for _ in range(50):
        namespace = {}
        exec("def inner(call):\n return [call(1), call(2)]", namespace)
        daifu_bc.protect(namespace["inner"], scope="nested")
        assert namespace["inner"](int) == [1, 2]
        daifu_bc.unprotect(namespace["inner"])
        del namespace
    gc.collect()
    assert len(registry._records) <= before + 5


def test_recursion_depth_is_that_of_a_run_that_never_crashed():
    def deep(n):
        return 0 if n == 0 else 1 + deep(n - 1)

    def program(call):
        call()
        return deep(sys.getrecursionlimit() - depth_of_stack() - 60)

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Fails()) > 500


def test_a_name_that_is_cleared_in_a_finally_is_not_held_by_its_frame():
    class Context:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            self.error = error
            return True

        def handle(self, function):
            try:
                with self:
                    function()
            finally:
                self = None

    def fails():
        try:
            raise ValueError
        except ValueError:
            raise ValueError from None

    def program():
        context = Context()
        try:
            return context.handle(fails)
        finally:
            context = None

    daifu_bc.protect(program, scope="module")
    alive = []
    for _ in range(3):
        program()
        alive.append(sum(type(one) is Context for one in gc.get_objects()))
    assert alive == [0, 0, 0]
