"""Hundreds of recoveries in each shape of program leave nothing behind; `recoveries.py` does 10,000 of each."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

import daifu_bc
from daifu_bc import Retry

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from load import recoveries  # noqa: E402  (the path comes first)

TIMES = 400


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
@pytest.mark.parametrize("shape", ["plain", "nested", "generator", "coroutine"])
def test_stack_and_tensors_are_flat(shape, without_collector):
    measured = recoveries.measure(getattr(recoveries, shape), TIMES)
    assert (measured.recoveries, measured.frames, measured.alive) == (TIMES, 0, 0)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_eight_threads_at_once_are_flat(without_collector):
    measured = recoveries.measure_threads(TIMES // recoveries.THREADS)
    assert (measured.recoveries, measured.frames, measured.alive) == (TIMES, 0, 0)


def test_recoveries_leave_no_cycles_for_the_collector(without_collector):
    """A training loop may have switched the collector off."""
    work = recoveries.Work(200)
    protected = daifu_bc.protect(
        recoveries._copy(recoveries.plain), on_crash=lambda crash: Retry(), scope="nested"
    )
    assert protected(work) == sum(range(200))
    assert gc.collect() < 200
