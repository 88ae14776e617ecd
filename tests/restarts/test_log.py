"""The record is bounded, holds no object of the program, and is each process's own."""

from __future__ import annotations

import dataclasses
import gc
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from daifu_bc.restarts import log
from daifu_bc.restarts.restarts import At, Restart, Retry, Return, Use


@pytest.fixture(autouse=True)
def own_record() -> Iterator[None]:
    log.clear()
    yield
    log.clear()


@pytest.fixture
def put(crash_of: Any) -> Callable[..., log.Recovery]:
    """Put a recovery of a crash with these fields on record."""

    def put(restart: Restart | None = None, **fields: Any) -> log.Recovery:
        return log.record(
            crash_of(**fields), restart or Retry(), seconds_waiting=0.5, seconds_restoring=0.001
        )

    return put


def test_says_what_where_when_and_how_long(put: Any) -> None:
    put(exception=FileNotFoundError(2, "no such file"))
    (recovery,) = log.recoveries()
    assert (recovery.function, recovery.filename, recovery.lineno) == ("train", "train.py", 12)
    assert (recovery.exception, recovery.message) == ("FileNotFoundError", "[Errno 2] no such file")
    assert (recovery.process, recovery.thread) == (os.getpid(), threading.current_thread().name)
    assert (recovery.restart, recovery.seconds_waiting, recovery.seconds_restoring) == ("retry", 0.5, 0.001)
    assert recovery.diff is None
    assert "train (train.py:12) FileNotFoundError" in str(recovery)


def test_keeps_the_latest_and_counts_the_rest(put: Any) -> None:
    recovery = put()
    for lineno in range(log.KEPT + 4):
        log.add(dataclasses.replace(recovery, lineno=lineno))
    kept = log.recoveries()
    assert len(kept) == log.KEPT
    assert kept[-1].lineno == log.KEPT + 3
    assert log.recovered() == log.KEPT + 5


def test_the_list_is_the_callers_own(put: Any) -> None:
    put()
    log.recoveries().clear()
    assert len(log.recoveries()) == 1


class Tensor:
    def __repr__(self) -> str:
        return "tensor" * 1_000


def test_keeps_no_object_of_the_program_alive(put: Any) -> None:
    error, value = OSError(Tensor()), Tensor()
    gone = [weakref.ref(value), weakref.ref(error.args[0])]
    put(Use(value), exception=error)
    del error, value
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    texts = [getattr(log.recoveries()[0], field.name) for field in dataclasses.fields(log.Recovery)]
    assert {type(text) for text in texts} <= {float, int, str, type(None)}


def test_long_values_and_messages_are_cut(put: Any) -> None:
    recovery = put(At(2, Return(Tensor())), exception=ValueError("x" * 10**6))
    assert recovery.restart.startswith("in frame 2: return tensor")
    assert len(recovery.restart) < 2 * log.LONGEST
    assert len(recovery.message) < 2 * log.LONGEST
    assert len(put(Use(list(range(10**6)))).restart) < 100


def test_a_text_that_cannot_be_made_is_said(put: Any) -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise ZeroDivisionError

        __repr__ = __str__

    recovery = put(Use(Broken()), exception=Broken())
    assert "cannot be made: ZeroDivisionError" in recovery.message
    assert recovery.restart.startswith("use <Broken instance")


def test_threads_do_not_lose_records(put: Any) -> None:
    recovery = put()
    threads = [threading.Thread(target=lambda: [log.add(recovery) for _ in range(500)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.recovered() == 4_001


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_its_own_record_even_if_the_lock_was_held(put: Any) -> None:
    put()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with log._lock:
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    child = os.fork()
    if child == 0:
        empty = not log.recoveries()
        put()
        os._exit(0 if empty and log.recovered() == 1 else 1)
    _, status = os.waitpid(child, 0)
    release.set()
    holder.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert log.recovered() == 1
