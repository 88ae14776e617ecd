"""Retrying after a wait, with tenacity's strategies for how long to wait and when to stop.

In: a crash. Out: Retry, or None where the exception is another one or the attempts are used up.
Always true: tenacity is imported only when one of its strategies is asked. The strategies see a real
RetryCallState whose attempt number, exception, start and time spent waiting are those of the row of crashes
at this point (a new row begins with `crash.attempt == 1`), so they mean here what they mean there. What is
remembered of a row are two numbers, of the latest 1,000 rows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from daifu_bc.restarts.policy_base import (
    CrashLike,
    Decision,
    On,
    Policy,
    at_least_one,
    exception_classes,
    in_words,
)
from daifu_bc.restarts.restarts import Restart
from daifu_bc.restarts.restarts import Retry as RetryRestart

ROWS = 1_000
ATTEMPTS = 3
Wait = float | timedelta | Callable[[Any], float] | None
Stop = Callable[[Any], bool] | None
Point = tuple[int, str, str, int, type[BaseException]]


@dataclass(slots=True)
class Row:
    """Crashes in a row at one point, in one thread."""

    start: float  # of time.monotonic(), in seconds, when the first one was met
    idle: float = 0.0  # seconds waited so far


class Rows:
    """The rows of crashes that one policy has seen last, by crash point."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[Point, Row] = {}

    def of(self, crash: CrashLike) -> Row:
        """The row that this crash belongs to; it begins here if this is its first."""
        point = (threading.get_ident(), crash.function, crash.filename, crash.offset, type(crash.exception))
        row = self._rows.get(point)
        if row is None or crash.attempt <= 1:
            self._rows.pop(point, None)
            row = self._rows[point] = Row(time.monotonic())
            self._forget()
        return row

    def _forget(self) -> None:
        for point in list(self._rows)[:-ROWS]:
            self._rows.pop(point, None)


class RetryPolicy(Policy):
    """Retry on these exceptions, after a wait, for a number of attempts in a row."""

    __slots__ = ("attempts", "on", "rows", "stop", "wait")

    def __init__(self, on: On, attempts: int | None, wait: Wait, stop: Stop) -> None:
        self.on = exception_classes(on)
        self.attempts = at_least_one("attempts", ATTEMPTS if attempts is None and stop is None else attempts)
        self.wait = wait
        self.stop = stop
        self.rows = Rows()

    def consider(self, crash: CrashLike) -> Decision | None:
        if not isinstance(crash.exception, self.on):
            return None
        if self.attempts is not None and crash.attempt > self.attempts:
            return None
        if not (callable(self.wait) or callable(self.stop)):
            return after_waiting(RetryRestart(), fixed_seconds(self.wait), None)
        return self._ask_strategies(crash)

    def _ask_strategies(self, crash: CrashLike) -> Decision | None:
        row = self.rows.of(crash)
        state = call_state(crash, row, self)
        seconds = float(self.wait(state)) if callable(self.wait) else fixed_seconds(self.wait)
        state.upcoming_sleep = seconds
        if self.stop is not None and self.stop(state):
            return None
        return after_waiting(RetryRestart(), seconds, row)

    def __repr__(self) -> str:
        parts = [f"retry on {in_words(self.on)}"]
        if self.attempts is not None:
            parts.append(f"at most {self.attempts} times in a row")
        if self.wait is not None:
            parts.append(f"after {strategy_in_words(self.wait)}")
        if self.stop is not None:
            parts.append(f"until {strategy_in_words(self.stop)}")
        return ", ".join(parts)


def after_waiting(restart: Restart, seconds: float, row: Row | None) -> Decision:
    """`restart`, once `seconds` have been waited."""

    def carry_out() -> bool:
        if seconds > 0:
            time.sleep(seconds)
        if row is not None:
            row.idle += seconds
        return True

    return Decision(restart, carry_out)


def fixed_seconds(wait: float | timedelta | None) -> float:
    """A wait that is no strategy, in seconds."""
    if wait is None:
        return 0.0
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def call_state(crash: CrashLike, row: Row, policy: RetryPolicy) -> Any:
    """The crash as tenacity's strategies want to see it: a RetryCallState that has just failed."""
    import tenacity

    stop = policy.stop if policy.stop is not None else tenacity.stop_never
    wait = policy.wait if callable(policy.wait) else tenacity.wait_fixed(fixed_seconds(policy.wait))
    state = tenacity.RetryCallState(tenacity.Retrying(stop=stop, wait=wait), None, (), {})
    state.start_time = row.start
    state.attempt_number = crash.attempt
    state.idle_for = row.idle
    exception = crash.exception
    state.set_exception((type(exception), exception, exception.__traceback__))
    return state


def strategy_in_words(strategy: object) -> str:
    """A strategy's name and the numbers in it: tenacity's own repr is an address."""
    if isinstance(strategy, (int, float)):
        return f"{strategy:g} s"
    if isinstance(strategy, timedelta):
        return f"{strategy.total_seconds():g} s"
    name = getattr(strategy, "__qualname__", None) or type(strategy).__name__
    fields = getattr(strategy, "__dict__", {})
    inner = [f"{key}={value}" for key, value in fields.items() if isinstance(value, (int, float))]
    for value in fields.values():
        if isinstance(value, (tuple, list)):
            inner.extend(strategy_in_words(part) for part in value if callable(part))
    return f"{name}({', '.join(inner)})" if inner else str(name)
