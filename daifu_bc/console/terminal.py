"""The terminal, and what has to be as it was once the developer has decided.

In: the process's standard streams. Out: streams to talk over, and context managers that put things back.
Always true: on leaving, `sys.stdin` and `sys.stdout`, readline's completer and delimiters, the trace
function, the SIGINT handler and the terminal's interrupt key are what they were.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TextIO, cast, runtime_checkable


@dataclass(frozen=True, slots=True)
class Streams:
    """Where the developer types and reads. `terminal`: this process's own, where lines can be edited."""

    stdin: TextIO
    stdout: TextIO
    terminal: bool


@runtime_checkable
class FarLines(Protocol):
    """A stdin that somebody types into elsewhere, who can go and come back."""

    def enter_prompt(self, complete: Callable[[str, str, int, int], list[str]], /) -> None: ...
    def leave_prompt(self) -> None: ...
    def let_client_go(self) -> None: ...


def is_terminal(stream: TextIO | None) -> bool:
    """Whether `stream` is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except (ValueError, OSError, AttributeError):
        return False


def own_terminal() -> Streams | None:
    """The terminal of this process, also where the program has replaced `sys.stdout`; None if there is none.

    A replaced `sys.stdin` that is no terminal (of a test runner, of a worker process) means that nobody is.
    """
    if not is_terminal(sys.stdin):
        return None
    stdin = sys.__stdin__ if is_terminal(sys.__stdin__) else sys.stdin
    stdout = next((stream for stream in (sys.__stdout__, sys.__stderr__) if is_terminal(stream)), None)
    if stdin is None or stdout is None or not _in_foreground(stdin):
        return None
    return Streams(stdin, stdout, terminal=True)


def _in_foreground(stdin: TextIO) -> bool:
    """A background job that reads from its terminal would be stopped by the shell."""
    try:
        return os.tcgetpgrp(stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):  # not our controlling terminal, or no job control
        return True


class _Routed:
    """What we want: `input()`, `print()` and pdb use the terminal in this thread, all others what they had.

    Replacing `sys.stdout` for everybody would send the other threads' output to the terminal for as long as
    the developer thinks. So each thread is led to its own stream; what has kept this object is led to the
    program's stream once the console is closed.
    """

    def __init__(self, mine: TextIO, others: TextIO) -> None:
        self._mine: TextIO | None = mine
        self._others = others
        self._thread = threading.get_ident()

    def close_route(self) -> TextIO:
        """From now on the program's stream for all; returns it."""
        self._mine = None
        return self._others

    def _stream(self) -> TextIO:
        if self._mine is not None and threading.get_ident() == self._thread:
            return self._mine
        return self._others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream(), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream())

    def __next__(self) -> str:
        return next(self._stream())


@contextmanager
def streams_of_this_thread(streams: Streams) -> Iterator[None]:
    """`sys.stdin` and `sys.stdout` are `streams` in this thread."""
    flush_program_output()
    routes: dict[str, _Routed] = {}
    for name, mine in (("stdin", streams.stdin), ("stdout", streams.stdout)):
        others = getattr(sys, name)
        if others is not mine:
            routes[name] = _Routed(mine, others)
            setattr(sys, name, cast(TextIO, routes[name]))
    try:
        yield
    finally:
        for name, route in routes.items():
            others = route.close_route()
            if getattr(sys, name) is route:  # otherwise the program has set another one meanwhile
                setattr(sys, name, others)


def flush_program_output() -> None:
    """What the program has printed comes before what the console prints."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the program's own stream may be anything, closed included
            stream.flush()


@contextmanager
def trace_kept() -> Iterator[None]:
    """The trace function (of a debugger, of coverage) is what it was; pdb's own does not stay."""
    before = sys.gettrace()
    try:
        yield
    finally:
        if sys.gettrace() is not before:
            sys.settrace(before)


@contextmanager
def readline_kept(streams: Streams) -> Iterator[None]:
    """readline's completer and delimiters are what they were. Without a terminal it is not even imported."""
    readline = _imported_readline() if streams.terminal else sys.modules.get("readline")
    if readline is None:
        yield
        return
    completer, delimiters = readline.get_completer(), readline.get_completer_delims()
    try:
        yield
    finally:
        readline.set_completer(completer)
        readline.set_completer_delims(delimiters)


def _imported_readline() -> Any:
    try:
        import readline
    except ImportError:
        return None
    return readline


@contextmanager
def readline_hidden(hidden: bool) -> Iterator[None]:
    """`import readline` fails: importing it can write to the program's output, and pdb always does.

    Only where it is not imported yet; short, since other threads see it, too.
    """
    if not hidden or "readline" in sys.modules:
        yield
        return
    sys.modules["readline"] = cast(Any, None)
    try:
        yield
    finally:
        if sys.modules.get("readline") is None:
            del sys.modules["readline"]
