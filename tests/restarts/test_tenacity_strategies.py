"""Strategies of tenacity mean here what they mean there."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from daifu_bc.restarts.policies import retry
from daifu_bc.restarts.policy_retry import ROWS, RetryPolicy
from daifu_bc.restarts.restarts import Retry

tenacity = pytest.importorskip("tenacity", reason="strategies come from tenacity")


def test_exponential_waits_follow_the_attempt(crash_of: Any, slept: list[float]) -> None:
    policy = retry(attempts=5, wait=tenacity.wait_exponential(multiplier=1, max=6))
    for attempt in (1, 2, 3, 4):
        assert policy(crash_of(attempt=attempt)) == Retry()
    assert slept == [1, 2, 4, 6]


def test_waits_as_long_as_tenacity_itself_would(crash_of: Any, slept: list[float]) -> None:
    wait = tenacity.wait_chain(tenacity.wait_fixed(3), tenacity.wait_fixed(5)) + tenacity.wait_fixed(1)
    policy = retry(attempts=3, wait=wait)
    for attempt in (1, 2, 3):
        policy(crash_of(attempt=attempt))
    ours = list(slept)

    theirs: list[float] = []

    def always_fails() -> None:
        raise OSError

    with pytest.raises(tenacity.RetryError):
        tenacity.Retrying(wait=wait, stop=tenacity.stop_after_attempt(4), sleep=theirs.append)(always_fails)
    assert ours == theirs


def test_a_strategy_can_look_at_the_exception(crash_of: Any, slept: list[float]) -> None:
    policy = retry(wait=tenacity.wait_exception(lambda error: float(error.errno)))
    assert policy(crash_of(OSError(7, "busy"))) == Retry()
    assert slept == [7]


def test_stop_after_attempt_lets_it_fail_that_often(crash_of: Any, slept: list[float]) -> None:
    policy = retry(stop=tenacity.stop_after_attempt(5))
    decisions = [policy(crash_of(attempt=attempt)) for attempt in (1, 2, 3, 4, 5)]
    assert decisions == [Retry()] * 4 + [None]


def test_attempts_and_stop_hold_together(crash_of: Any, slept: list[float]) -> None:
    policy = retry(attempts=2, stop=tenacity.stop_after_attempt(5))
    assert [policy(crash_of(attempt=attempt)) for attempt in (2, 3)] == [Retry(), None]


def test_stop_after_delay_counts_from_the_first_crash_of_the_row(
    crash_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    policy = retry(stop=tenacity.stop_after_delay(10))
    assert policy(crash_of(attempt=1)) == Retry()
    now[0] = 109.0
    assert policy(crash_of(attempt=2)) == Retry()
    now[0] = 111.0
    assert policy(crash_of(attempt=3)) is None
    assert policy(crash_of(attempt=1)) == Retry()  # a new row


def test_stop_before_delay_sees_the_wait_that_would_come(crash_of: Any, slept: list[float]) -> None:
    policy = retry(wait=tenacity.wait_fixed(30), stop=tenacity.stop_before_delay(10))
    assert policy(crash_of()) is None
    assert slept == []


def test_the_time_spent_waiting_is_known_to_strategies(crash_of: Any, slept: list[float]) -> None:
    idle: list[float] = []

    def wait(state: Any) -> float:
        idle.append(state.idle_for)
        return 2.0

    policy = retry(wait=wait)
    for attempt in (1, 2, 3):
        policy(crash_of(attempt=attempt))
    assert idle == [0, 2, 4]


def test_rows_at_different_points_do_not_mix(crash_of: Any, slept: list[float]) -> None:
    idle: list[float] = []

    def wait(state: Any) -> float:
        idle.append(state.idle_for)
        return 1.0

    policy = retry(wait=wait)
    policy(crash_of(offset=2))
    policy(crash_of(offset=8))
    policy(crash_of(offset=2, attempt=2))
    assert idle == [0, 0, 1]


def test_what_is_remembered_is_bounded(crash_of: Any) -> None:
    policy = RetryPolicy(OSError, 3, lambda state: 0.0, None)
    for offset in range(ROWS + 50):
        policy(crash_of(offset=offset))
    assert len(policy.rows._rows) == ROWS


def test_strategies_are_named_in_the_sentence() -> None:
    policy = retry(
        wait=tenacity.wait_fixed(1) + tenacity.wait_random(0, 2), stop=tenacity.stop_after_delay(60)
    )
    assert "wait_fixed(wait_fixed=1.0)" in repr(policy)
    assert "until stop_after_delay(max_delay=60.0)" in repr(policy)


def test_tenacity_is_imported_only_for_its_strategies() -> None:
    code = (
        "import sys; from daifu_bc.restarts import policies; policies.retry(wait=1);"
        "print('tenacity' in sys.modules, 'torch' in sys.modules, 'rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]
