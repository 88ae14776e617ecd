"""Every program of the corpus crashes at every point and goes on as if nothing had happened."""

from __future__ import annotations

import pytest

from sweep.collect import programs
from sweep.pool import Pool
from sweep.report import is_fault
from sweep.verdicts import Verdict


@pytest.mark.parametrize("name", programs())
def test_program_recovers_exactly_from_a_crash_at_every_point(name: str, pool: Pool) -> None:
    faults = [verdict for verdict in pool.sweep(name) if is_fault(verdict)]
    assert not faults, _text(faults)


def test_the_corpus_covers_at_least_150_programs() -> None:
    assert len(programs()) >= 150


def _text(faults: list[Verdict]) -> str:
    lines = [f"{one.status} keep={one.keep} {one.mode} at {one.armed}: {one.detail}" for one in faults[:10]]
    return "\n".join([f"{len(faults)} faults", *lines])
