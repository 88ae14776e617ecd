"""Healthy functions stopped at their next line, to be looked at, changed, and gone on with.

In: a protected function that is running, in whatever thread. Out: a crash without an exception at the start of a line.
Always true: nothing is switched on before somebody asks and after the function has stopped; a line is only stopped at
where nothing of its statement has run and no handler of the program could take what is raised; if it cannot be stopped
the run goes on undisturbed.

What we want: to stop a loop that runs for hours, from another thread or a signal handler, without a price before.
What does not work: a trace function (slow, and taken by debuggers), an exception from outside (it lands anywhere).
What we do: LINE events, local to the code objects that are on the stacks, with a callback that raises `Paused`; the
barrier takes it as it takes a crash. What still fails: code that calls no line of Python for long is stopped when it
comes back; with both tool ids taken there are no events, and pause is refused.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

from daifu_bc.analysis.points import Points
from daifu_bc.crash.entries import entry_of
from daifu_bc.errors import DaifuError, Paused
from daifu_bc.interpreter import opcodes, tool_ids
from daifu_bc.recovery import is_busy
from daifu_bc.targets import functions_of
from daifu_bc.transform.registry import Protection, original_of, protection_of


class Request:
    """A wish to stop code where it runs. `decide`: what to do at a line, None for not here."""

    def __init__(self, decide: Callable[[FrameType, Protection, int], Paused | None]) -> None:
        self._decide = decide
        self._watches: list[tool_ids.Watch] = []
        self._lock = threading.RLock()  # a signal handler may ask while its thread is in here
        self._is_over = False

    def begin(self, codes: list[CodeType]) -> None:
        """Switch the events on. Other threads may come to a line, and be done with the wish, before this returns."""
        for code in codes:
            with self._lock:
                if self._is_over:
                    return
                watch = tool_ids.watch(code, tool_ids.events.LINE, self._line)
                if watch is not None:
                    self._watches.append(watch)
                    continue
            self.stop()
            raise DaifuError(_no_events())

    def stop(self) -> bool:
        """Switch the events off. Out: whether it was this call that did."""
        with self._lock:
            was_on, self._is_over = not self._is_over, True
            for watch in self._watches:
                watch.stop()
            self._watches.clear()
        return was_on

    def _line(self, code: CodeType, lineno: int) -> object:
        frame = _frame_of(code)
        protection = protection_of(code)
        if frame is None or protection is None or is_busy():
            return None
        index = protection.index_at(frame.f_lasti)
        if not _can_stop(frame, protection, index):
            return None
        try:
            paused = self._decide(frame, protection, index)
        except Exception as error:  # ours: it must not land in the program
            self.stop()
            _warn(f"a wish to stop {protection.original.co_qualname} is given up: {error!r}")
            return None
        if paused is not None:
            del frame  # the exception's traceback has it
            raise paused
        return None


def pause(target: object = None) -> bool:
    """Stop `target`, a protected function that is running, at its next line; without it, whatever protected code runs.

    It is then decided what to do as at a crash, `crash.exception` being None: the nearest policy, the console; if
    nobody decides the run goes on. Out: whether something will stop. May be called from any thread and from a signal
    handler. Raises CannotProtect for what has no Python code, DaifuError where sys.monitoring has no id left.
    """
    codes = list(running_codes(target))
    if not codes:
        return False

    def stop_once(frame: FrameType, protection: Protection, index: int) -> Paused | None:
        return Paused() if request.stop() else None

    request = Request(stop_once)
    request.begin(codes)
    return True


def running_codes(target: object = None) -> Iterator[CodeType]:
    """Protected code on the stacks of all threads: that of `target`, suspended generators of it too, or all."""
    wanted = None if target is None else {id(original_of(function.__code__)) for function in functions_of(target)}
    seen: set[int] = set()
    for frame in list(sys._current_frames().values()):
        current: FrameType | None = frame
        while current is not None:
            protection = protection_of(current.f_code)
            fits = protection is not None and (wanted is None or id(protection.original) in wanted)
            if fits and id(current.f_code) not in seen:
                seen.add(id(current.f_code))
                yield current.f_code
            current = current.f_back
    for code in suspended(wanted, running_too=True) if wanted is not None else ():
        if id(code) not in seen:
            seen.add(id(code))
            yield code


def suspended(originals: set[int], running_too: bool = False) -> Iterator[CodeType]:
    """Protected code of generators and coroutines that wait to be asked on. `originals`: ids of code objects.

    running_too: of those that run too; one that waited when the stacks were looked at may run by now.
    """
    for item in gc.get_objects():
        kind = type(item)
        if kind is GeneratorType:
            frame, is_running = item.gi_frame, item.gi_running
        elif kind is CoroutineType:
            frame, is_running = item.cr_frame, item.cr_running
        elif kind is AsyncGeneratorType:
            frame, is_running = item.ag_frame, item.ag_running
        else:
            continue
        if frame is None or (is_running and not running_too) or protection_of(frame.f_code) is None:
            continue
        if id(original_of(frame.f_code)) in originals:
            yield frame.f_code


def _frame_of(code: CodeType) -> FrameType | None:
    """The frame whose line event is being told."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _can_stop(frame: FrameType, protection: Protection, index: int) -> bool:
    """Is this the start of a statement, below an entry, where the barrier is the first to get what is raised?"""
    if index < 0:
        return False
    points = Points(protection.flow, index, protection.positions)
    if not points.is_base(index):
        return False
    is_header = protection.flow.instructions.ops[index] in (opcodes.FOR_ITER, opcodes.GET_ANEXT)
    if not is_header and points.statement_start() != index:
        return False
    if protection.contexts.of[index] < 0 and not _passes_clauses(frame, protection, index):
        return False
    return _is_below_entry(frame)


def _is_below_entry(frame: FrameType) -> bool:
    current: FrameType | None = frame
    while current is not None:
        if entry_of(current.f_code) is not None:
            return True
        current = current.f_back
    return False


def _passes_clauses(frame: FrameType, protection: Protection, index: int) -> bool:
    """Do the `except` clauses that come before any barrier let it pass? Only if they name what is no BaseException."""
    if index not in protection.contexts.handled_first:
        return False
    clauses = protection.contexts.tests.get(protection.flow.cover[index], ())
    return bool(clauses) and all(_is_narrow(frame, protection, loads) for loads in clauses)


def _is_narrow(frame: FrameType, protection: Protection, loads: tuple[tuple[int, int], ...]) -> bool:
    names = protection.original.co_names
    for op, arg in loads:
        if op == opcodes.BUILD_TUPLE:
            continue
        if op not in (opcodes.LOAD_GLOBAL, opcodes.LOAD_NAME):
            return False
        name = names[arg >> 1 if op == opcodes.LOAD_GLOBAL else arg]
        found: Any = frame.f_globals.get(name, getattr(builtins, name, None))
        if not (isinstance(found, type) and issubclass(found, BaseException)) or issubclass(Paused, found):
            return False
    return bool(loads)


def _no_events() -> str:
    held = " and ".join(f"{tool} ({name})" for tool, name in tool_ids.owners().items())
    return f"pause: sys.monitoring tool ids {held} are taken by other tools, so no line can be stopped at"


# Signals.


def pause_on_interrupt() -> None:
    """From now on Ctrl-C pauses protected code that was asked for it (`on_interrupt="pause"`); elsewhere as ever."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def _interrupted(number: int, frame: FrameType | None) -> None:
    if not (_asked_for(frame) and _try_to_pause()):
        signal.default_int_handler(number, frame)


def _asked_for(frame: FrameType | None) -> bool:
    while frame is not None:
        entry = entry_of(frame.f_code)
        if entry is not None and entry.on_interrupt == "pause":
            return True
        frame = frame.f_back
    return False


def pause_on_signal() -> None:
    """DAIFU_BC_PAUSE_SIGNAL=USR2: that signal pauses whatever protected code runs."""
    name = os.environ.get("DAIFU_BC_PAUSE_SIGNAL", "").strip().upper().removeprefix("SIG")
    if not name:
        return
    found = getattr(signal, f"SIG{name}", None)
    if not isinstance(found, signal.Signals):
        warnings.warn(f"DAIFU_BC_PAUSE_SIGNAL: there is no signal {name}", RuntimeWarning, stacklevel=2)
        return
    try:
        signal.signal(found, lambda number, frame: _ignore(_try_to_pause()))
    except (ValueError, OSError) as error:  # not the main thread, or one that cannot be taken
        warnings.warn(f"DAIFU_BC_PAUSE_SIGNAL={name}: {error}", RuntimeWarning, stacklevel=2)


def _try_to_pause() -> bool:
    try:
        return pause()
    except DaifuError as error:
        _warn(str(error))
        return False


def _warn(text: str) -> None:
    """A warning, which is no error here even where the program makes errors of warnings."""
    with contextlib.suppress(RuntimeWarning):
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def _ignore(_: object) -> None:
    return
