"""Crashes in several threads, tasks and processes do not mix."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import daifu_bc
from daifu_bc import Abort, Retry, Skip
from daifu_bc.restarts.log import recovered
from whole.crash_at import Boom, Out


def test_two_threads_wait_in_their_policies_at_once():
    """Each policy goes on only once the other has been asked: neither hinders the other."""
    meeting, seen = threading.Barrier(2, timeout=30), []

    def program(name):
        out = Out(name)
        return [out(name), name]

    def policy(crash):
        meeting.wait()
        seen.append((crash.locals["name"], crash.exception.args))
        meeting.wait()
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(program, "ab")) == [["a", "a"], ["b", "b"]]
    assert sorted(seen) == [("a", ("a",)), ("b", ("b",))]


def test_one_thread_aborts_while_another_retries():
    meeting = threading.Barrier(2, timeout=30)

    def program(name):
        out = Out(name)
        return out(name)

    def policy(crash):
        meeting.wait()
        return Abort() if crash.locals["name"] == "a" else Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(program, "a"), pool.submit(program, "b")
        assert type(first.exception()) is Boom
        assert second.result() == "b"


def test_attempts_are_counted_for_each_thread():
    meeting, seen = threading.Barrier(3, timeout=30), []

    def program(name):
        out = Out(name)
        return out(name)

    def policy(crash):
        meeting.wait()
        seen.append(crash.attempt)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(program, "abc")) == ["a", "b", "c"]
    assert seen == [1, 1, 1]


def test_a_thread_started_below_an_entry_is_below_it():
    def program(out):
        found = []

        def work():
            found.append(out("x"))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()
        return found

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Out("x")) == ["x"]


def test_many_tasks_crash_at_once():
    async def work(out, number):
        for step in range(5):
            await asyncio.sleep(0)
            out((number, step))
        return number

    async def program(out):
        return await asyncio.gather(*(work(out, number) for number in range(10)))

    out = Out()
    failing = {(number, step) for number in range(10) for step in (1, 3)}

    def call(value):
        if value in failing:
            failing.remove(value)
            raise Boom(value)
        return out(value)

    daifu_bc.protect(work, scope="nested")
    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert asyncio.run(program(call)) == list(range(10))
    assert len(out.log) == 50 and not failing


def test_a_task_may_be_switched_to_only_where_it_awaits_after_a_recovery():
    order = []

    async def work(out, name):
        out(name)
        order.append(name)
        await asyncio.sleep(0)
        order.append(name)

    async def program(out):
        await asyncio.gather(work(out, "a"), work(out, "b"))

    daifu_bc.protect(work, scope="nested")
    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    asyncio.run(program(Out("a")))
    assert order == ["a", "b", "a", "b"]


def in_child(function):
    """The text that `function` returns in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
class TestForks:
    def test_a_child_of_a_recovered_run_recovers_by_itself(self):
        def program(out, last):
            out("first")
            return in_child(lambda: [out("child"), last("again")]), out("parent")

        out, last = Out("first"), Out("again")
        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(out, last) == ("['child', 'again']", "parent")
        assert last.where == "again"  # in the parent it never failed

    def test_the_record_of_a_child_is_its_own(self):
        def program(out):
            out("x")
            return in_child(lambda: len(daifu_bc.recoveries()))

        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(Out("x")) == "0"
        assert daifu_bc.recoveries()[-1].function == program.__qualname__

    def test_a_child_has_what_it_recovered_itself_on_record_once(self):
        def program(out, last):
            def child():
                last("again")
                return [(one.message, one.process == os.getpid()) for one in daifu_bc.recoveries()]

            out("first")
            return in_child(child)

        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        before = recovered()
        assert program(Out("first"), Out("again")) == "[('again', True)]"
        assert recovered() == before + 1

    def test_a_fork_inside_a_policy(self):
        texts = []

        def program(out):
            return out("x")

        def policy(crash):
            texts.append(in_child(lambda: (crash.locals["out"].where is not None, crash.can(Retry()))))
            return Retry()

        daifu_bc.protect(program, on_crash=policy, scope="nested")
        assert program(Out("x")) == "x"
        assert texts == ["(True, None)"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers for signals")
def test_an_exception_out_of_a_signal_handler_can_be_skipped():
    """It lands wherever the program is; here that is a call of the signal module itself."""

    def handler(number, frame):
        raise Boom("signal")

    def program():
        seen = ["before"]
        signal.raise_signal(signal.SIGUSR1)
        seen.append("after")
        return seen

    reasons = []

    def policy(crash):
        reasons.append(crash.can(Retry()))
        return Skip()

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        daifu_bc.protect(program, on_crash=policy, scope="nested")
        assert program()[0] == "before"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(reasons) == 1
