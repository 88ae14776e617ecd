"""`|` is the first that decides, `&` needs all; plain functions can stand on either side."""

from __future__ import annotations

from typing import Any

import pytest

from daifu_bc.restarts.policies import Policy, abort, free_memory, retry, skip_iteration
from daifu_bc.restarts.restarts import Abort, NextIteration, Redo, Restart, Retry, Skip


def redo(crash: Any) -> Restart | None:
    return Redo()


def pass_on(crash: Any) -> Restart | None:
    return None


def refuse_retry(restart: Restart) -> str | None:
    return "not here" if isinstance(restart, Retry) else None


class TestOr:
    def test_is_the_first_that_decides(self, crash_of: Any) -> None:
        policy = retry(on=OSError) | skip_iteration(on=ValueError) | abort()
        assert policy(crash_of(OSError())) == Retry()
        assert policy(crash_of(ValueError())) == NextIteration()
        assert policy(crash_of(KeyError())) == Abort()

    def test_goes_on_to_the_next_when_attempts_are_used_up(self, crash_of: Any) -> None:
        assert (retry(attempts=1) | skip_iteration())(crash_of(attempt=2)) == NextIteration()

    def test_goes_on_to_the_next_when_the_first_is_refused(self, crash_of: Any) -> None:
        crash = crash_of(refuses=refuse_retry)
        assert (retry() | skip_iteration())(crash) == NextIteration()

    def test_only_the_one_that_is_followed_does_its_work(self, crash_of: Any, slept: list[float]) -> None:
        (retry(wait=1) | retry(wait=2))(crash_of())
        assert slept == [1]

    def test_passes_on_when_nobody_decides(self, crash_of: Any) -> None:
        assert (retry() | pass_on)(crash_of(ValueError())) is None


class TestAnd:
    def test_needs_all_and_takes_the_restart_of_the_last(self, crash_of: Any) -> None:
        policy = retry(on=OSError) & skip_iteration(on=Exception)
        assert policy(crash_of(OSError())) == NextIteration()
        assert policy(crash_of(ValueError())) is None

    def test_does_the_work_of_all(self, crash_of: Any, slept: list[float]) -> None:
        assert (retry(wait=1) & redo)(crash_of()) == Redo()
        assert slept == [1]

    def test_does_no_work_if_one_does_not_apply(self, crash_of: Any, slept: list[float]) -> None:
        assert (retry(wait=1) & pass_on)(crash_of()) is None
        assert slept == []

    def test_only_the_chosen_restart_has_to_be_possible(self, crash_of: Any) -> None:
        crash = crash_of(MemoryError(), refuses=refuse_retry)
        assert (free_memory() & skip_iteration(on=MemoryError))(crash) == NextIteration()

    def test_does_not_count_what_was_not_followed(self, crash_of: Any) -> None:
        limited = skip_iteration(on=Exception, at_most=1)
        assert (limited & pass_on)(crash_of()) is None
        assert (limited & redo)(crash_of()) == Redo()
        assert (limited & redo)(crash_of()) is None

    def test_binds_tighter_than_or(self, crash_of: Any) -> None:
        policy = retry(on=OSError) & skip_iteration() | abort()
        assert policy(crash_of(OSError())) == NextIteration()
        assert policy(crash_of(KeyError())) == Abort()


class TestPlainFunctions:
    @pytest.mark.parametrize(
        "policy", [redo | retry(), pass_on | (pass_on | abort()), retry() & redo, redo & retry()]
    )
    def test_can_stand_on_either_side(self, crash_of: Any, policy: Any) -> None:
        assert isinstance(policy, Policy)
        assert policy(crash_of()) in (Redo(), Abort(), Retry())

    def test_are_held_to_what_is_possible(self, crash_of: Any) -> None:
        crash = crash_of(refuses=lambda restart: "not here" if isinstance(restart, Redo) else None)
        assert (redo | retry())(crash) == Retry()
        assert "redo" in crash.exception.__notes__[0]

    def test_what_they_raise_goes_out(self, crash_of: Any) -> None:
        def broken(crash: Any) -> Restart | None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            (broken | retry())(crash_of())

    def test_what_is_no_restart_is_said(self, crash_of: Any) -> None:
        def yes(crash: Any) -> Any:
            return True

        with pytest.raises(TypeError, match="returned bool"):
            (yes | retry())(crash_of())

    @pytest.mark.parametrize("other", [3, Skip(), Skip, "retry"])
    def test_what_is_no_function_cannot_be_joined(self, other: Any) -> None:
        with pytest.raises(TypeError, match="cannot be joined"):
            retry() | other


def test_combinations_are_flat_and_readable() -> None:
    assert repr((redo | retry()) | (abort() | pass_on)) == (
        "redo | retry on OSError, at most 3 times in a row | abort | pass_on"
    )
    assert (
        repr(redo & abort() | retry(attempts=1))
        == "(redo & abort) | retry on OSError, at most 1 times in a row"
    )
