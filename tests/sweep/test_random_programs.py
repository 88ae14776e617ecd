"""Programs that no one has written crash at random points and go on as if nothing had happened."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings

from sweep.random_programs import Drawn, programs
from sweep.random_runner import Runner, is_fault

EXAMPLES = int(os.environ.get("RANDOM_EXAMPLES", "60"))


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as running:
        yield running


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(drawn=programs())
def test_a_random_program_recovers_exactly(runner: Runner, drawn: Drawn) -> None:
    faults = [verdict for verdict in runner.run(drawn) if is_fault(verdict)]
    for fault in faults[:5]:
        note(f"{fault.status} {fault.mode} at {fault.armed}: {fault.detail}")
    assert not faults, f"{faults[0].status}: {faults[0].detail}\n{drawn!r}"
