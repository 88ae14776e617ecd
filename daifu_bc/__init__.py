"""daifu_bc keeps deep-learning runs alive: a run that would die of an exception stops at the crash, and goes on there.

>>> import daifu_bc
>>> @daifu_bc.protect
... def train(model, loader): ...
"""

import sys
from typing import TextIO

from daifu_bc import decide, errors, instrument, reserve
from daifu_bc.crash.crash import Crash, CrashFrame
from daifu_bc.decide import set_default_policy
from daifu_bc.errors import CannotProtect, CannotResume, DaifuError, InternalError, KnownInterpreterIssue
from daifu_bc.instrument import is_protected, protect, unprotect
from daifu_bc.integrations import iterator_layers, torch_loaders, torch_switches
from daifu_bc.patching import patch
from daifu_bc.pause import pause, pause_on_interrupt, pause_on_signal
from daifu_bc.recovery import after as _after
from daifu_bc.recovery import barrier as _barrier
from daifu_bc.recovery import resume as _resume
from daifu_bc.restarts import policies
from daifu_bc.restarts.log import recoveries
from daifu_bc.restarts.restarts import (
    Abort,
    At,
    Jump,
    NextIteration,
    Redo,
    Restart,
    Retry,
    Return,
    Skip,
    Surgery,
    Use,
)
from daifu_bc.transform.registry import skipped
from daifu_bc.updates import apply as _apply  # noqa: F401 - surgery brings the whole edit along

iterator_layers.install()
torch_loaders.install()
torch_switches.install()
instrument.set_interrupts(pause_on_interrupt)
pause_on_signal()


def _ask_developer(crash: Crash, first: str = "") -> Restart | None:
    mended = _wait_for_workers(crash) if not first else None
    if mended is not None:
        return mended
    with reserve.released():
        from daifu_bc.console import local  # pdb and readline only once somebody is asked

        restart = local.ask(crash, first=first) if local.available() else None
    return restart if restart is not None else _ask_elsewhere(crash, first)


def _ask_elsewhere(crash: Crash, first: str) -> Restart | None:
    from daifu_bc.remote import settings

    if settings.seconds_to_wait() <= 0:
        return None
    from daifu_bc.remote import waiting  # threads and sockets only once a crash waits

    return waiting.ask(crash, first)


def _wait_for_workers(crash: Crash) -> Restart | None:
    if not isinstance(crash.exception, RuntimeError) or "torch.utils.data.dataloader" not in sys.modules:
        return None
    from daifu_bc.remote import workers

    return workers.wait_for_workers(crash)


decide.set_console(_ask_developer)
reserve.hold()


def _ask_over(crash: Crash, stdin: TextIO, stdout: TextIO) -> Restart | None:
    from daifu_bc.console import local

    return local.ask(crash, stdin=stdin, stdout=stdout)


def load_ipython_extension(shell: object) -> None:
    """`%load_ext daifu_bc`: protect the cells of this notebook."""
    from daifu_bc.autoinstrument import notebook

    notebook.load(shell, _ask_over)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext daifu_bc`."""
    from daifu_bc.autoinstrument import notebook

    notebook.unload(shell)


__version__ = "0.1.0"

__all__ = [
    "Abort", "At", "CannotProtect", "CannotResume", "Crash", "CrashFrame", "DaifuError", "InternalError", "Jump",
    "KnownInterpreterIssue", "NextIteration", "Redo", "Restart", "Retry", "Return", "Skip", "Surgery", "Use",
    "_after", "_barrier", "_resume", "errors", "is_protected", "patch", "pause", "policies", "protect", "recoveries",
    "set_default_policy", "skipped", "unprotect",
]  # fmt: skip
