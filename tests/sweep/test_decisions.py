"""Each restart but retry does what the same program edited by hand would do."""

from __future__ import annotations

import pytest

import sweep.decisions_jump
import sweep.decisions_next
import sweep.decisions_redo
import sweep.decisions_return
import sweep.decisions_skip
import sweep.decisions_use  # noqa: F401  (importing fills CASES)
from sweep.twins import CASES, disagreement, run_case


@pytest.mark.parametrize("name", CASES)
def test_restart_does_what_the_hand_edited_program_does(name: str) -> None:
    assert not disagreement(*run_case(CASES[name]))
