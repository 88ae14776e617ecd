"""A sweep without daifu_bc says so once, and does not call every program a fault."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("script", ["report.py"])
def test_a_sweep_that_cannot_import_daifu_bc_is_one_clear_error(script: str) -> None:
    isolated = [sys.executable, "-I", "-S", "-W", "ignore", str(Path(__file__).with_name(script))]
    # (no site-packages, no paths; and no SyntaxWarning of a program of the corpus that is compiled for the first time)
    done = subprocess.run(isolated, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and "daifu_bc cannot be imported" in done.stderr
