"""The recoveries of this process, on record.

In: what was decided at a crash and how long it took. Out: `recoveries()`, oldest first.
Always true: records hold strings and numbers only, never an object of the program (so nothing is kept alive);
the latest 10,000 are kept and the rest are counted; a forked child starts with an empty record of its own.
"""

from __future__ import annotations

import os
import reprlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from daifu_bc.restarts.restarts import At, Restart, Return, Use

KEPT = 10_000
LONGEST = 1_000  # characters of a message or a restart's value that are kept


@dataclass(frozen=True, slots=True)
class Recovery:
    """One recovered crash."""

    time: float  # of time.time(), in seconds, when the run went on
    process: int  # process id
    thread: str  # the thread's name
    function: str  # qualified name
    filename: str
    lineno: int
    exception: str  # name of its class; "pause" where a healthy function was stopped
    message: str
    restart: str  # the console command that asks for it
    seconds_waiting: float  # from the crash to the decision
    seconds_restoring: float  # from the decision to the run going on
    diff: str | None = None  # of a surgery, unified

    def __str__(self) -> str:
        return (
            f"{self.function} ({self.filename}:{self.lineno}) {self.exception}: {self.message}"
            f" -> {self.restart} after {self.seconds_waiting:.3f} s, in {self.seconds_restoring * 1e3:.3f} ms"
        )


class Site(Protocol):
    """What is put on record of a crash."""

    @property
    def exception(self) -> BaseException | None: ...
    @property
    def function(self) -> str: ...
    @property
    def filename(self) -> str: ...
    @property
    def lineno(self) -> int: ...


_short = reprlib.Repr(maxstring=LONGEST, maxother=LONGEST)  # a value may be a list of ten million
_lock = threading.RLock()  # one that a policy's own crash or a signal handler may take again
_kept: deque[Recovery] = deque(maxlen=KEPT)
_count = 0
_told: list[Callable[[Recovery], None]] = []  # from outside: who keeps a job's log


def tell(listener: Callable[[Recovery], None]) -> None:
    """From now on call `listener` with each recovery of this process, in its thread."""
    if listener not in _told:
        _told.append(listener)


def record(
    crash: Site,
    restart: Restart,
    *,
    seconds_waiting: float,
    seconds_restoring: float,
    diff: str | None = None,
) -> Recovery:
    """Put a recovery on record."""
    recovery = Recovery(
        time=time.time(),
        process=os.getpid(),
        thread=threading.current_thread().name,
        function=crash.function,
        filename=crash.filename,
        lineno=crash.lineno,
        exception="pause" if crash.exception is None else type(crash.exception).__qualname__,
        message="" if crash.exception is None else shortened(crash.exception),
        restart=shortened(in_words(restart)),
        seconds_waiting=seconds_waiting,
        seconds_restoring=seconds_restoring,
        diff=diff,
    )
    add(recovery)
    for listener in _told:
        listener(recovery)
    return recovery


def add(recovery: Recovery) -> None:
    """Put a record that exists already on record (one of another process, say)."""
    global _count
    with _lock:
        _kept.append(recovery)
        _count += 1


def recoveries() -> list[Recovery]:
    """What was recovered in this process, oldest first; the latest 10,000."""
    with _lock:
        return list(_kept)


def recovered() -> int:
    """How many recoveries there were in this process, those that are no longer kept included."""
    return _count


def clear() -> None:
    """Forget the record."""
    global _count
    with _lock:
        _kept.clear()
        _count = 0


def in_words(restart: Restart) -> str:
    """The console command that asks for `restart`; a value in it is shortened while its text is made."""
    match restart:
        case At(frame, inner):
            return f"in frame {frame}: {in_words(inner)}"
        case Use(value):
            return f"use {_short.repr(value)}"
        case Return(value):
            return f"return {_short.repr(value)}"
    return str(restart)


def shortened(thing: object) -> str:
    """`str(thing)`, cut to a length that 10,000 records can bear."""
    try:
        text = str(thing)
    except Exception as error:  # a user's __str__ that fails must not take the recovery with it
        return f"<{type(thing).__name__} whose text cannot be made: {type(error).__name__}>"
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _start_afresh_in_child() -> None:
    """A thread of the parent may have held the lock at the fork; its recoveries are not the child's."""
    global _lock
    _lock = threading.RLock()
    clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh_in_child)
