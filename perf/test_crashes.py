"""What crashes and protecting cost. There is no plain twin: a plain run dies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from perf import subject
from perf.crashes import LOOP, Boom, FailsOnce, protected_function, seconds_to_resume
from perf.long_functions import long_function
from perf.subject import protect, retry_always
from perf.twins import namespace_of

needs_engine = pytest.mark.skipif(subject.STUB, reason="the stub recovers nothing")


@needs_engine
@pytest.mark.parametrize("statements", [5, 1_000, 20_000])
def test_first_crash_of_a_function(benchmark: Any, statements: int) -> None:
    """The whole call; what lies between the raise and the resumed call is in `extra_info`, in seconds."""
    benchmark.group = "crash to resumed"
    waits: list[float] = []

    def fresh() -> tuple[tuple[Callable[..., Any]], dict[str, Any]]:
        return (protected_function(long_function(statements)),), {}

    rounds = 3 if statements > 10_000 else 20
    benchmark.pedantic(lambda function: waits.append(seconds_to_resume(function)), setup=fresh, rounds=rounds)
    benchmark.extra_info["seconds_from_raise"] = waits


@needs_engine
@pytest.mark.parametrize("statements", [5, 1_000])
def test_later_crashes_of_a_function(benchmark: Any, statements: int) -> None:
    benchmark.group = "crash to resumed"
    function = protected_function(long_function(statements))
    benchmark(lambda: function(Boom()))


@needs_engine
def test_a_thousand_recoveries_in_one_loop(benchmark: Any) -> None:
    function = protected_function(LOOP)
    benchmark.pedantic(lambda: function(FailsOnce(100), 1_000), rounds=3)


@pytest.mark.parametrize("statements", [100, 20_000])
def test_protecting_a_function(benchmark: Any, statements: int) -> None:
    benchmark.group = "protect"

    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (namespace_of(long_function(statements))["subject"], retry_always), {}

    benchmark.pedantic(protect, setup=fresh, rounds=2 if statements > 10_000 else 20)


def test_long_functions_have_as_many_statements_as_they_say() -> None:
    import ast

    for number in (5, 100, 1_000):
        (function,) = ast.parse(long_function(number).text).body
        assert sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1 == number
