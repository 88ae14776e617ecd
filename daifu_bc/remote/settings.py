"""How long a crash waits, and for whom: read from the environment at the crash.

In: the environment (what pyproject.toml says is handed on through it). Out: plain values. Always true: under pytest and
where CI is set nothing waits unless DAIFU_BC_WAIT says so; what makes no sense counts as not said.
"""

from __future__ import annotations

import math
import os
import sys
from typing import Final

DEFAULT_WAIT: Final = 3600.0  # seconds
OFF: Final = ("", "0", "false", "no", "off")


def seconds_to_wait() -> float:
    """Seconds that a crash waits for somebody; 0: it does not."""
    if not _is_on("DAIFU_BC_ATTACH", "1") or _is_on("DAIFU_BC_OFF", ""):
        return 0.0
    try:
        seconds = float(os.environ["DAIFU_BC_WAIT"])
    except (KeyError, ValueError):
        return 0.0 if _is_tested() else DEFAULT_WAIT
    return min(max(seconds, 0.0), 1e9) if not math.isnan(seconds) else 0.0


def notify_command() -> str:
    """What is run at a crash, with its facts on stdin; "": nothing."""
    return os.environ.get("DAIFU_BC_NOTIFY", "").strip()


def listen() -> str:
    """Where a crash listens on the network; "": nowhere."""
    return os.environ.get("DAIFU_BC_LISTEN", "").strip()


def key_file() -> str:
    """The file of the key for that; "": the usual one."""
    return os.environ.get("DAIFU_BC_KEY", "").strip()


def job() -> str:
    """What the batch system calls this job; "" where there is none."""
    names = ("DAIFU_BC_JOB", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "TORCHELASTIC_RUN_ID")
    return next((found for name in names if (found := os.environ.get(name, "").strip()) not in ("", "none")), "")


def rank() -> int | None:
    """This process's number among those of its job."""
    text = os.environ.get("RANK", os.environ.get("SLURM_PROCID", ""))
    return int(text) if text.isascii() and text.isdecimal() else None


def _is_tested() -> bool:
    return _is_on("CI", "") or "PYTEST_CURRENT_TEST" in os.environ or "pytest" in sys.modules


def _is_on(variable: str, default: str) -> bool:
    return os.environ.get(variable, default).strip().lower() not in OFF
