"""Policies: what to do at a crash when nobody is there to ask. `daifu_bc.policies`.

In: a crash. Out: a restart, or None: pass on to the next decider. Joined with `|` (the first that decides)
and `&` (all must agree that it applies; the restart is the last one's), with each other and with plain
functions:

    on_crash = retry(on=OSError, wait=tenacity.wait_exponential(max=60)) | free_memory() | ask()
    on_crash = only_while_training & skip_iteration(on=ValueError, at_most=100)

Always true: a policy is bounded (by default 3 attempts in a row at one crash point) and never returns a
restart that `crash.can` refuses.
"""

from __future__ import annotations

import itertools
from importlib import import_module
from pathlib import PurePath
from typing import Any

from daifu_bc.restarts.policy_base import (
    AllOf,
    AnyOf,
    CrashLike,
    Decision,
    On,
    Policy,
    at_least_one,
    exception_classes,
    in_words,
)
from daifu_bc.restarts.policy_memory import FreeMemoryPolicy
from daifu_bc.restarts.policy_retry import ATTEMPTS, RetryPolicy, Stop, Wait
from daifu_bc.restarts.restarts import Abort, At, NextIteration, Restart

__all__ = ["AllOf", "AnyOf", "Policy", "abort", "ask", "free_memory", "retry", "skip_iteration"]

# The console is a room above this one, and most runs never open it: looked up by name when it is needed.
CONSOLE = "daifu_bc.console.local"


def retry(on: On = (OSError,), attempts: int | None = None, wait: Wait = None, stop: Stop = None) -> Policy:
    """Retry the failing instruction.

    on: exception class, or a tuple of them. attempts: how many times in a row at one crash point; 3 unless
    `stop` is given. wait: before each, in seconds, as a timedelta or as a strategy of tenacity
    (`tenacity.wait_exponential(max=60)`). stop: a strategy of tenacity that ends it; as there, it is asked
    after each failure, so `tenacity.stop_after_attempt(3)` lets the instruction fail three times and retries
    it twice. It waits in the crashed thread: an event loop that runs in it waits too.
    """
    return RetryPolicy(on, attempts, wait, stop)


def skip_iteration(on: On = (Exception,), at_most: int | None = None, attempts: int | None = None) -> Policy:
    """Give up the rest of the iteration and go on with the loop's next item.

    The loop is the innermost one around the crash: of the crashed function, or else of the nearest function
    that called it. on: exception class, or a tuple of them. at_most: iterations given up in all, in this
    process. attempts: how many times in a row at one crash point; 3 unless `at_most` is given.
    """
    return SkipIterationPolicy(on, at_most, attempts)


def free_memory(attempts: int = ATTEMPTS) -> Policy:
    """Where memory ran out (the host's or a device's): free what nothing uses any more, and retry.

    attempts: how many times in a row at one crash point.
    """
    return FreeMemoryPolicy(attempts)


def ask() -> Policy:
    """Ask in the console, if there is a terminal; pass on if not."""
    return AskPolicy()


def abort() -> Policy:
    """Let the exception go on as if daifu_bc were not there; no later decider is asked."""
    return AbortPolicy()


class SkipIterationPolicy(Policy):
    """On these exceptions: give up the iteration, for a number of times."""

    __slots__ = ("_numbers", "_used", "at_most", "attempts", "on")

    def __init__(self, on: On, at_most: int | None, attempts: int | None) -> None:
        self.on = exception_classes(on)
        self.at_most = at_least_one("at_most", at_most)
        self.attempts = at_least_one(
            "attempts", ATTEMPTS if attempts is None and at_most is None else attempts
        )
        self._numbers = itertools.count(1)
        self._used = 0

    def consider(self, crash: CrashLike) -> Decision | None:
        if not isinstance(crash.exception, self.on):
            return None
        if self.attempts is not None and crash.attempt > self.attempts:
            return None
        if self.at_most is not None and self._used >= self.at_most:
            return None
        restart = next_of_innermost_loop(crash)
        return Decision(restart, self._count) if restart is not None else None

    def _count(self) -> bool:
        # `next` is atomic: two threads never get the same number, so `at_most` holds without a lock.
        self._used = next(self._numbers)
        return self.at_most is None or self._used <= self.at_most

    def __repr__(self) -> str:
        parts = [f"skip the iteration on {in_words(self.on)}"]
        if self.attempts is not None:
            parts.append(f"at most {self.attempts} times in a row")
        if self.at_most is not None:
            parts.append(f"at most {self.at_most} times in all")
        return ", ".join(parts)


def next_of_innermost_loop(crash: CrashLike) -> Restart | None:
    """Go on with the next item of the innermost loop of the program itself; None: there is no loop.

    A loop inside an installed library (a loader that builds a batch) is no iteration that a user means.
    """
    for index in range(crash.frame, len(crash.frames)):
        frame = crash.frames[index]
        if frame.loops and not _is_installed(getattr(frame, "filename", "")):
            restart = NextIteration()
            return restart if index == crash.frame else At(index, restart)
    return None


def _is_installed(filename: str) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in PurePath(filename).parts)


class AskPolicy(Policy):
    """The console's answer, taken as it is: the console has shown what would be lost."""

    __slots__ = ()

    def consider(self, crash: CrashLike) -> Decision | None:
        console: Any = import_module(CONSOLE)
        restart = console.ask(crash) if console.available() else None
        return Decision(restart) if restart is not None else None

    def decide(self, crash: CrashLike) -> Decision | None:
        return self.consider(crash)

    def __repr__(self) -> str:
        return "ask in the console"


class AbortPolicy(Policy):
    """Always Abort."""

    __slots__ = ()

    def consider(self, crash: CrashLike) -> Decision | None:
        return Decision(Abort())

    def __repr__(self) -> str:
        return "abort"
