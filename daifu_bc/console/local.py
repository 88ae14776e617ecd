"""The console on this process's own terminal.

In: a crash. Out: the developer's decision, or None where nobody can be asked (the next decider is). Always
true: one prompt at a time; everything that the prompt needed to change is as it was on return (see terminal
and interrupts), in whatever thread it was.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TextIO

from daifu_bc.console.interrupts import interrupts
from daifu_bc.console.terminal import (
    Streams,
    own_terminal,
    readline_hidden,
    readline_kept,
    streams_of_this_thread,
    trace_kept,
)
from daifu_bc.console.view import CrashLike
from daifu_bc.restarts.restarts import Restart

_prompt_lock = threading.RLock()  # one that a crash in what is typed at the prompt may take again


def available() -> bool:
    """Whether a developer can be asked here: stdin, and stdout or stderr, are terminals in the foreground."""
    return own_terminal() is not None


def ask(
    crash: CrashLike,
    *,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    recoveries: Callable[[], Iterable[object]] | None = None,
    first: str = "",
) -> Restart | None:
    """Ask the developer how to go on.

    stdin, stdout: talk over these instead of the terminal. recoveries: what the command of that name lists.
    first: words that come before the prompt, such as why the last decision could not be carried out.
    """
    streams = (
        Streams(stdin, stdout, terminal=False) if stdin is not None and stdout is not None else own_terminal()
    )
    if streams is None:
        return None
    with ExitStack() as kept:
        kept.enter_context(_prompt_lock)
        kept.enter_context(trace_kept())
        kept.enter_context(readline_kept(streams))
        kept.enter_context(streams_of_this_thread(streams))
        state = kept.enter_context(interrupts(streams))
        with readline_hidden(not streams.terminal):  # importing pdb may import it, or set its completer
            from daifu_bc.console.commands import Console

            console = Console(crash, streams, state, recoveries, first)
        kept.callback(console.close)
        return console.decide()


def _start_afresh_in_child() -> None:
    """After a fork another thread of the parent may hold the lock for ever."""
    global _prompt_lock
    _prompt_lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh_in_child)
