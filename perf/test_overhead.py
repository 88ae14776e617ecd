"""Programs that do not crash: loops, calls, raising and catching, training steps."""

from __future__ import annotations

from typing import Any

import pytest

from perf.models import MODELS
from perf.programs import PROGRAMS
from perf.rows import one_torch_thread
from perf.twins import Program, workload_of


def name(value: object) -> str | None:
    return value.what if isinstance(value, Program) else None


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_small_program(benchmark: Any, program: Program, twin: str) -> None:
    benchmark.group = program.what
    benchmark(workload_of(program, protected=twin == "protected"))


@pytest.mark.parametrize("program", MODELS, ids=name)
def test_training_step(benchmark: Any, program: Program, twin: str) -> None:
    pytest.importorskip("torch", reason="training steps need torch")
    benchmark.group = program.what
    with one_torch_thread():
        benchmark(workload_of(program, protected=twin == "protected"))


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_twins_do_the_same(program: Program) -> None:
    plain, protected = (workload_of(program, protected) for protected in (False, True))
    assert plain() == protected()
