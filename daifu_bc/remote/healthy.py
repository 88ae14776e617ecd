"""A healthy process is paused from elsewhere: by the signal that it was told to pause on.

In: a process number. Out: that process waits as at a crash. Always true: no signal is sent that the process does not
catch (it would die of it).
"""

from __future__ import annotations

import os
import signal
import time

from daifu_bc.remote import find

SECONDS = 30.0  # that a process may take to come to its next line
_STEP = 0.05


def pause(pid: int) -> None:
    """Pause it, and wait until it waits. Raises NotThere."""
    number = _signal_of(pid)
    if number is None or not _catches(pid, number):
        raise find.NotThere(
            f"process {pid} does not wait at a crash, and cannot be paused: "
            "start it with DAIFU_BC_PAUSE_SIGNAL=USR2 to be able to"
        )
    os.kill(pid, number)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if any(row["pid"] == pid for row in find.crashes()):
            return
        time.sleep(_STEP)
    raise find.NotThere(f"process {pid} was asked to pause and has not come to a line of protected code yet")


def _signal_of(pid: int) -> signal.Signals | None:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = dict(pair.partition(b"=")[::2] for pair in file.read().split(b"\0"))
    except OSError:
        return None
    name = variables.get(b"DAIFU_BC_PAUSE_SIGNAL", b"").decode(errors="replace").strip().upper().removeprefix("SIG")
    found = getattr(signal, f"SIG{name}", None)
    return found if isinstance(found, signal.Signals) else None


def _catches(pid: int, number: int) -> bool:
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught, 16) >> (number - 1) & 1)
