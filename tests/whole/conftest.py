"""Every test of this folder starts and ends without entries, default policy and attempts."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import along, instrument, swaps
from daifu_bc.restarts.attempts import forget_attempts

pytest.register_assert_rewrite("whole.crash_at")


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch):
    monkeypatch.delenv("DAIFU_BC_OFF", raising=False)
    yield
    daifu_bc.set_default_policy(None)
    for function in list(swaps._versions):
        swaps.restore(function)
    instrument._sweep()
    along.undo()
    forget_attempts()
