"""One line on stderr for each process that is protected.

In: what was begun. Out: a line. Always true: each process says it once; nothing that goes wrong with it is an error.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from typing import Final

from daifu_bc.autoinstrument.options import Options
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.restarts.log import recoveries
from daifu_bc.transform import skipped

_MOST_CHILDREN: Final = 32
_forked = 0  # how many children this process has forked


def begin(selection: Selection, faults: Sequence[str], options: Options) -> None:
    """Say what is protected in this process, and from now on in each child that it forks."""
    for fault in faults:
        say(fault)
    what = f"protecting {selection}"
    if options.policy:
        what += f", policy {options.policy}"
    say(f"{what} (process {os.getpid()})")
    if options.verbose:
        atexit.register(_at_end, selection)  # registered first, so that it comes last
    os.register_at_fork(before=_count, after_in_child=lambda: _in_child(selection))


def _at_end(selection: Selection) -> None:
    left = skipped()
    say(f"protected {len(selection.seen)} modules, recovered {len(recoveries())} times, skipped {len(left)} functions")
    for one in left:
        say(f"skipped {one.filename}:{one.lineno} {one.qualname}: {one.reason}")


def say(text: str) -> None:
    """A line on stderr, if there is one."""
    try:
        sys.stderr.write(f"daifu_bc: {text}\n")
        sys.stderr.flush()
    except Exception:  # closed, replaced or full: no reason to disturb the program
        return


def _count() -> None:
    global _forked
    _forked += 1


def _in_child(selection: Selection) -> None:
    global _forked
    number, _forked = _forked, 0
    more = "; those forked after it say nothing" if number == _MOST_CHILDREN else ""
    if number <= _MOST_CHILDREN:
        _write(f"daifu_bc: protecting {selection} (process {os.getpid()}, forked{more})\n")


def _write(text: str) -> None:
    """Straight to the descriptor: what the parent has not written yet must not be written twice, and its streams may

    be locked by a thread that is not here.
    """
    try:
        if sys.__stderr__ is not None:
            os.write(sys.__stderr__.fileno(), text.encode(errors="replace"))
    except Exception:  # closed or full: no reason to disturb the program
        return
