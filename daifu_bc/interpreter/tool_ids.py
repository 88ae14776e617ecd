"""Code objects watched with sys.monitoring, under one tool id of our own: 4, else 3, else none.

In: a code object, one local event, a callback. Out: a `Watch`, or None where both ids belong to other tools.
Always true: the id is taken with the first watch and given back with the last; every event is local to the code
object it was asked for, nothing is global; a code object that is watched is kept alive by its watch.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Final

NAME: Final = "daifu_bc"
CANDIDATES: Final = (4, 3)

Callback = Callable[..., object]

events: Final = sys.monitoring.events
DISABLE: Final[object] = sys.monitoring.DISABLE

_lock = threading.RLock()
_tool: int | None = None
_watches: dict[int, dict[int, Watch]] = {}  # id(code) -> event -> its watch
_registered: set[int] = set()  # events that have our callback
_successors: dict[int, dict[int, weakref.ref[CodeType]]] = {}  # id(code) -> what went on from where it stopped


class Watch:
    """One local event of one code object, and of those that go on from it, until `stop()`. Works with `with`."""

    __slots__ = ("callback", "codes", "event")

    def __init__(self, code: CodeType, event: int, callback: Callback) -> None:
        self.codes = [code]
        self.event = event
        self.callback = callback

    def stop(self) -> None:
        """Switch the event off again; stopping twice, or after another watch took the place, does nothing."""
        with _lock:
            for code in self.codes:
                mine = _watches.get(id(code), {})
                if mine.get(self.event) is self:
                    del mine[self.event]
                    _set_events(code)
                    if not mine:
                        del _watches[id(code)]
            if not _watches:
                _give_back()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def watch(code: CodeType, event: int, callback: Callback) -> Watch | None:
    """Call `callback(code, ...)` (arguments as in sys.monitoring) at each `event` of `code`; None: no id to be had.

    The callback may return DISABLE; what it raises goes into the watched code. A second watch of the same event of
    the same code object takes the place of the first.
    """
    with _lock:
        tool = _take()
        if tool is None:
            return None
        made = Watch(code, event, callback)
        if event not in _registered:
            sys.monitoring.register_callback(tool, event, _dispatcher(event))
            _registered.add(event)
        made.codes += _living_successors(code)
        for one in made.codes:
            _watches.setdefault(id(one), {})[event] = made
            _set_events(one)
        return made


def follow(code: CodeType, successor: CodeType, event: int) -> None:
    """`successor` goes on from where `code` stopped: who watches the one, from now on too, watches the other.

    From now on: between this and the first step of `successor` it is on no stack, where it could be found.
    """
    with _lock:
        _note_successor(code, successor)
        found = _watches.get(id(code), {}).get(event)
        if found is not None:
            found.codes.append(successor)
            _watches.setdefault(id(successor), {})[event] = found
            _set_events(successor)


def _note_successor(code: CodeType, successor: CodeType) -> None:
    """Remember both as long as both live."""
    mine, number = id(code), id(successor)
    known = _successors.get(mine)
    if known is None:
        known = _successors[mine] = {}
        weakref.finalize(code, _successors.pop, mine, None).atexit = False
    known[number] = weakref.ref(successor, lambda _: known.pop(number, None))


def _living_successors(code: CodeType) -> list[CodeType]:
    """What went on from `code`, and what from that, as far as it lives."""
    found = [code]
    for one in found:  # which grows
        references = list(_successors.get(id(one), {}).values())
        found += [living for reference in references if (living := reference()) is not None]
    return found[1:]


def tool_id() -> int | None:
    """The id that is ours at the moment, or None."""
    return _tool


def owners() -> dict[int, str]:
    """Who holds the ids that we could have had: id -> name of the tool."""
    held = ((tool, sys.monitoring.get_tool(tool)) for tool in CANDIDATES)
    return {tool: name for tool, name in held if name is not None}


def _dispatcher(event: int) -> Callback:
    """One callback per event kind: looks up the watch of the code object that it happened in."""

    def dispatch(code: CodeType, *details: object) -> object:
        found = _watches.get(id(code), {}).get(event)
        return found.callback(code, *details) if found is not None else DISABLE

    return dispatch


def _set_events(code: CodeType) -> None:
    """Make the events of `code` those of its watches. Setting them anew also undoes an earlier DISABLE."""
    if _tool is None:
        return
    wanted = 0
    for event in _watches.get(id(code), {}):
        wanted |= event
    sys.monitoring.set_local_events(_tool, code, wanted)


def _take() -> int | None:
    global _tool
    if _tool is None:
        for candidate in CANDIDATES:
            if sys.monitoring.get_tool(candidate) is None:
                sys.monitoring.use_tool_id(candidate, NAME)
                _tool = candidate
                break
    return _tool


def _give_back() -> None:
    global _tool
    if _tool is not None:
        for event in _registered:
            sys.monitoring.register_callback(_tool, event, None)
        _registered.clear()
        sys.monitoring.free_tool_id(_tool)
        _tool = None


def _new_lock() -> None:
    """In a forked child: another thread of the parent may have held the lock."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
