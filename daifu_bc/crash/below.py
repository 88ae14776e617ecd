"""Threads, executor work and asyncio tasks that start below an entry are below it.

In: a frame that runs such work (`Thread._bootstrap_inner`, `_WorkItem.run`). Out: the entry that it was started under.
Always true: nothing of the program's is wrapped or replaced, the note is taken by a local PY_START event on
`Thread.start` and `_WorkItem.__init__`; it goes with the thread or the work item; both cost nothing unless called.
Fork needs nothing: a child process has its parent's frames on its stack. With both tool ids taken nothing is noted.
"""

from __future__ import annotations

import sys
import threading
import weakref
from types import CodeType, FrameType
from typing import Final

from daifu_bc.crash.entries import Entry, entry_of
from daifu_bc.crash.frame_slots import read_slot
from daifu_bc.interpreter import tool_ids

EXECUTORS: Final = "concurrent.futures.thread"
LOOPS: Final = "asyncio.base_events"

_started: Final[dict[int, tuple[weakref.ref[object], Entry]]] = {}  # id of a thread or work item -> its entry
_carriers: Final[dict[int, CodeType]] = {}  # id of the code whose `self` may be among them
_watches: Final[list[tool_ids.Watch]] = []


def begin() -> None:
    """Take note from now on. Again once `concurrent.futures.thread` is imported: it adds what is missing."""
    _watch(threading.Thread.start.__code__, vars(threading.Thread)["_bootstrap_inner"].__code__)
    item = getattr(sys.modules.get(EXECUTORS), "_WorkItem", None)
    if item is not None:
        _watch(item.__init__.__code__, item.run.__code__)
    loop = getattr(sys.modules.get(LOOPS), "BaseEventLoop", None)
    if loop is not None and all(loop.create_task.__code__ not in watch.codes for watch in _watches):
        watch = tool_ids.watch(loop.create_task.__code__, tool_ids.events.PY_START, _take_note_of_task)
        if watch is not None:
            _watches.append(watch)


def end() -> None:
    """Take no more notes, and forget those taken."""
    for watch in _watches:
        watch.stop()
    _watches.clear()
    _carriers.clear()
    _started.clear()


def entry_carried_by(frame: FrameType) -> Entry | None:
    """The entry that the work of this very frame was started under; None for frames that run no such work."""
    if id(frame.f_code) not in _carriers:
        return None
    item = read_slot(frame, "self", None)
    found = _started.get(id(item))
    return found[1] if found is not None and found[0]() is item else None


def entry_of_task() -> Entry | None:
    """The entry that the running task was made under, or None."""
    tasks = sys.modules.get("asyncio.tasks")
    if tasks is None or not _started:
        return None
    try:
        coroutine = tasks.current_task().get_coro()
    except (RuntimeError, AttributeError):  # no loop runs in this thread, or no task in the loop
        return None
    found = _started.get(id(coroutine))
    return found[1] if found is not None and found[0]() is coroutine else None


def entry_around(frame: FrameType | None) -> Entry | None:
    """The entry that a frame is below: the nearest that has a policy, else the outermost.

    A frame that runs carried work ends the search: outside it is the thread's own work, not this one's.
    """
    outermost = None
    while frame is not None:
        is_carrier = id(frame.f_code) in _carriers
        entry = entry_carried_by(frame) if is_carrier else entry_of(frame.f_code)
        outermost = entry or outermost
        if is_carrier or (entry is not None and entry.on_crash is not None):
            break
        frame = frame.f_back
    return outermost


def _take_note_of_task(code: CodeType, offset: int) -> None:
    _take_note(code, offset, "coro")


def _watch(begins: CodeType, carrier: CodeType) -> None:
    if id(carrier) in _carriers:
        return
    watch = tool_ids.watch(begins, tool_ids.events.PY_START, _take_note)
    if watch is not None:
        _carriers[id(carrier)] = carrier
        _watches.append(watch)


def _take_note(code: CodeType, offset: int, name: str = "self") -> None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    entry = entry_around(frame) or (entry_of_task() if name == "coro" else None)
    if frame is None or entry is None:
        return
    item = read_slot(frame, name, None)
    key = id(item)

    def forget(_: object, key: int = key, started: dict[int, object] = _started) -> None:  # type: ignore[assignment]
        started.pop(key, None)

    try:
        _started[key] = (weakref.ref(item, forget), entry)
    except TypeError:  # a kind that cannot be referred to weakly: it is not below
        return
