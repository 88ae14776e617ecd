"""Healthy functions are stopped at a line and go on as if nothing had happened."""

# ruff: noqa: E501  (texts are tested as they stand)

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

import daifu_bc
from daifu_bc import NextIteration, Retry, Return, Skip, Surgery, Use, recovery
from daifu_bc.interpreter import tool_ids

COUNT = 200_000


class Asked:
    """A policy that answers pauses in turn and notes where they were."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.crashes = []
        self.refusals = []

    def __call__(self, crash):
        self.crashes.append((crash.exception, crash.lineno, crash.statement, dict(crash.locals)))
        self.refusals.append(crash.can(Use(1)))
        answer = self.answers.pop(0) if self.answers else None
        return answer(crash) if callable(answer) else answer


def in_thread(function, *arguments):
    """Run it beside the test. Out: a function that waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)), daemon=True)
    thread.start()

    def result():
        thread.join(60)
        assert not thread.is_alive()
        return results[0]

    return result


def lines_are_watched() -> bool:
    return any(tool_ids.events.LINE in watches for watches in tool_ids._watches.values())


def paused_when_ready(started, target):
    """Pause as soon as the program says that it is in its loop."""
    assert started.wait(30)
    return daifu_bc.pause(target)


def counting(asked, started):
    @daifu_bc.protect(on_crash=asked, scope="nested")
    def count(limit):
        total = 0
        done = False
        for number in range(limit):
            total += number
            if number == 10:
                started.set()
            while number == limit - 1 and not done:
                done = bool(asked.crashes)
        return total

    return count


@pytest.mark.parametrize("answer", [None, Retry(), daifu_bc.Abort(), daifu_bc.Redo()])
def test_a_paused_loop_goes_on_as_if_nothing_had_happened(answer):
    asked, started = Asked(answer), threading.Event()
    count = counting(asked, started)
    result = in_thread(count, COUNT)
    assert paused_when_ready(started, count)
    assert result() == sum(range(COUNT))
    assert len(asked.crashes) == 1
    exception, _lineno, statement, variables = asked.crashes[0]
    assert exception is None
    assert statement
    assert variables["limit"] == COUNT
    assert "nothing failed here" in asked.refusals[0]
    assert not lines_are_watched()


def test_whatever_runs_is_paused_without_a_target():
    asked, started = Asked(), threading.Event()
    result = in_thread(counting(asked, started), COUNT)
    assert paused_when_ready(started, None)
    assert result() == sum(range(COUNT))
    assert len(asked.crashes) == 1


def test_nothing_runs_nothing_is_paused():
    asked, started = Asked(), threading.Event()
    count = counting(asked, started)
    assert daifu_bc.pause(count) is False
    assert daifu_bc.pause() is False
    assert not lines_are_watched()


def test_variables_can_be_changed_and_the_loop_left():
    def leave(crash):
        crash.locals["total"] = -1
        return Return("left")

    asked, started = Asked(leave), threading.Event()
    count = counting(asked, started)
    result = in_thread(count, 10**9)
    assert paused_when_ready(started, count)
    assert result() == "left"


@pytest.mark.parametrize("restart", [Skip(), NextIteration()])
def test_other_restarts_apply(restart):
    asked, started = Asked(restart), threading.Event()
    count = counting(asked, started)
    result = in_thread(count, COUNT)
    assert paused_when_ready(started, count)
    assert result() <= sum(range(COUNT))
    assert len(asked.crashes) == 1


def test_a_paused_loop_goes_on_in_new_code():
    text = (
        "def count(limit):\n    total = 0\n    done = False\n    for number in range(limit):\n        return 'new code'\n"
        "        total += number\n        if number == 10:\n            started.set()\n"
        "        while number == limit - 1 and not done:\n            done = bool(asked.crashes)\n    return total\n"
    )
    asked, started = Asked(lambda crash: Surgery(source=text)), threading.Event()
    count = counting(asked, started)
    result = in_thread(count, 10**9)
    assert paused_when_ready(started, count)
    assert result() == "new code"


def test_except_clauses_do_not_take_the_pause():
    asked, started, taken = Asked(), threading.Event(), []

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        number = 0
        while True:
            try:
                number += 1
                started.set()
                if asked.crashes:
                    break
            except (ValueError, OSError):
                taken.append("class")
            except Exception:
                taken.append("all")
            finally:
                started.set()
        return number

    result = in_thread(loop)
    assert paused_when_ready(started, loop)
    assert result() > 0
    assert (len(asked.crashes), taken) == (1, [])


def test_a_bare_except_is_never_reached():
    asked, started, taken = Asked(), threading.Event(), []

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        for number in iter(int, 1):
            try:
                number += 1
                started.set()
            except:
                taken.append("bare")
            if asked.crashes:
                return number

    result = in_thread(loop)
    assert paused_when_ready(started, loop)
    assert result() == 1
    assert taken == []


def test_generators_and_coroutines_are_paused():
    asked, started = Asked(), threading.Event()

    def numbers():
        while not asked.crashes:
            started.set()
            yield 1

    async def consume():
        return sum([number for number in numbers()])

    def run():
        with pytest.raises(StopIteration) as stop:
            consume().send(None)
        return stop.value.value

    daifu_bc.protect(numbers, on_crash=asked, scope="nested")
    daifu_bc.protect(consume, on_crash=asked, scope="nested")
    result = in_thread(run)
    assert paused_when_ready(started, numbers)
    assert result() > 0
    assert len(asked.crashes) == 1


def test_pausing_many_times_in_one_loop():
    asked, started = Asked(), threading.Event()

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        number = 0
        while len(asked.crashes) < 20:
            number += 1
            started.set()
        return number

    result = in_thread(loop)
    assert started.wait(30)
    while len(asked.crashes) < 20:
        before = len(asked.crashes)
        daifu_bc.pause(loop)
        while len(asked.crashes) == before:
            pass
    assert result() > 0
    assert not lines_are_watched()


def test_a_pause_that_is_asked_for_just_before_a_function_goes_on_stops_it(monkeypatch):
    stops, items = [], []

    def mend(crash):
        stops.append(crash.exception)
        items[:] = [7]
        return Retry()

    @daifu_bc.protect(on_crash=mend, scope="nested")
    def loop():
        total = items[0]
        total += 1
        return total

    def watch_on(procedure, frame):
        before(procedure, frame)
        if len(stops) == 1:
            assert daifu_bc.pause(loop)

    before = recovery.watch_on
    monkeypatch.setattr(recovery, "watch_on", watch_on)
    assert loop() == 8
    assert [type(exception) for exception in stops] == [IndexError, type(None)]
    assert not lines_are_watched()


def test_a_pause_that_is_asked_for_while_the_function_is_being_decided_about_stops_where_it_goes_on():
    where, items = [], [0]

    def again(crash):
        where.append(crash.lineno)
        items[:] = [0] * 10
        if len(where) < 3:
            assert daifu_bc.pause(loop)
        return Retry()

    @daifu_bc.protect(on_crash=again, scope="nested")
    def loop():
        total = 0
        for number in range(10):
            total += number
            total += items[number]
        return total

    assert loop() == 45
    assert len(where) == 3
    assert not lines_are_watched()


def test_without_a_tool_id_pause_is_refused(monkeypatch):
    asked, started = Asked(), threading.Event()

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        while not stop:
            started.set()
        return "end"

    stop = []
    result = in_thread(loop)
    assert started.wait(30)
    monkeypatch.setattr(tool_ids, "watch", lambda *_: None)
    with pytest.raises(daifu_bc.DaifuError, match="taken by other tools"):
        daifu_bc.pause(loop)
    stop.append(True)
    assert result() == "end"


def test_a_trace_function_sees_the_run_go_on():
    asked = Asked()
    lines = []

    def tracer(frame, event, argument):
        lines.append(event)
        return tracer

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        total = 0
        for number in range(50):
            total += number
            if number == 20:
                daifu_bc.pause(loop)
        return total

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert loop() == sum(range(50))
    finally:
        sys.settrace(before)
    assert len(asked.crashes) == 1
    assert lines.count("line") > 100


@pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="there is no such signal here")
def test_a_signal_pauses(monkeypatch):
    from daifu_bc.pause import pause_on_signal

    monkeypatch.setenv("DAIFU_BC_PAUSE_SIGNAL", "USR2")
    before = signal.getsignal(signal.SIGUSR2)
    pause_on_signal()
    asked = Asked()

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def loop():
        total = 0
        for number in range(50):
            total += number
            if number == 20:
                os.kill(os.getpid(), signal.SIGUSR2)
        return total

    try:
        assert loop() == sum(range(50))
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert len(asked.crashes) == 1


def test_an_unknown_signal_is_said(monkeypatch):
    from daifu_bc.pause import pause_on_signal

    monkeypatch.setenv("DAIFU_BC_PAUSE_SIGNAL", "NONE")
    with pytest.warns(RuntimeWarning, match="no signal NONE"):
        pause_on_signal()


def test_ctrl_c_pauses_where_it_was_asked_for():
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asked = Asked()

    @daifu_bc.protect(on_crash=asked, scope="nested", on_interrupt="pause")
    def loop():
        total = 0
        for number in range(50):
            total += number
            if number == 20:
                os.kill(os.getpid(), signal.SIGINT)
        return total

    @daifu_bc.protect(on_crash=asked, scope="nested")
    def other():
        os.kill(os.getpid(), signal.SIGINT)

    try:
        assert loop() == sum(range(50))
        with pytest.raises(KeyboardInterrupt):
            other()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(asked.crashes) == 1


def test_on_interrupt_is_checked():
    with pytest.raises(ValueError, match="on_interrupt"):
        daifu_bc.protect(len, on_interrupt="stop")
