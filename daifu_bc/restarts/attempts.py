"""Attempts: how many times in a row a point has crashed with one exception type.

In: the living protected frames at a crash, the presented one; then where the run goes on. Out: a number.
Always true: a count begins again only when something was done since. An instruction that runs again says so itself;
after other restarts the frames hold something else than when the run went on. A retry further out of what fails
inside is an attempt at both points: the inner count goes on. Marks of what frames hold keep nothing alive.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from daifu_bc.crash.state import FrameState

Point = tuple[int, int, type]
Held = Mapping[str, object]  # variables of a frame
Mark = dict[str, object]
_WHERE = "(instruction)"  # no variable has such a name
_MOST_POINTS = 256
_MOST_FIELDS = 200  # fields of an object that are looked at


@dataclass(slots=True, eq=False)
class Count:
    """Of one point."""

    times: int = 0
    held: dict[int, Mark] | None = None  # frame (1: the outermost) -> what it held; None: nothing was done since
    deep: bool = False


class _Attempts(threading.local):
    def __init__(self) -> None:
        self.counts: dict[Point, Count] = {}
        self.asked: list[Count] = []  # the points at which one exception was asked about, so far


_attempts = _Attempts()


def forget_attempts() -> None:
    """The next crash is a first attempt."""
    _attempts.counts.clear()
    _attempts.asked.clear()


def count_attempt(states: list[FrameState], presented: int, asked_before: bool) -> int:
    """How many times in a row the presented point has crashed. `asked_before`: about this exception, further in."""
    state = states[presented]
    point = (id(state.protection.original), state.index, type(state.exception))
    count = _attempts.counts.pop(point, None) or Count()
    if count.held is not None and not _same(count.held, states, count.deep):
        count.times = 0
    count.times += 1
    count.held = None
    _attempts.counts[point] = count
    if len(_attempts.counts) > _MOST_POINTS:
        del _attempts.counts[next(iter(_attempts.counts))]
    _attempts.asked = [*(_attempts.asked if asked_before else ()), count]
    return count.times


def let_go(outer: list[FrameState]) -> None:
    """Nobody decides: the exception goes on to `outer`, which may retry what has failed."""
    _wait_for({len(outer) - place: _mark_of(state, False) for place, state in enumerate(outer)}, deep=False)


def go_on(place: int, held: Held) -> Callable[[], None]:
    """The run goes on at or before the crash, in frame `place`, which holds `held`. Call the result once it is done."""
    _wait_for({place: _mark(held)}, deep=False)
    return _done(_attempts.asked)


def go_on_behind(outer: list[FrameState], held: Held, returned: bool) -> None:
    """The run goes on behind the crash, in a frame that holds `held`, or has returned, below `outer`."""
    if returned and not outer:  # whoever called it goes on: nothing tells whether that does something else then
        _done(_attempts.asked)()
        return
    marks = {len(outer) - place: _mark_of(state, True) for place, state in enumerate(outer)}
    marks[len(outer) + 1] = _mark(held, True)
    _wait_for(marks, deep=True)


def told_when_done() -> None:
    """The instruction that runs again will say when it is done."""
    for count in _attempts.asked:
        count.held = None


def _wait_for(marks: dict[int, Mark], deep: bool) -> None:
    for count in _attempts.asked:
        count.held, count.deep = marks, deep


def _done(asked: list[Count]) -> Callable[[], None]:
    def done() -> None:
        for count in asked:
            count.times = 0

    return done


def _same(held: dict[int, Mark], states: list[FrameState], deep: bool) -> bool:
    for place, mark in held.items():
        now = _mark_of(states[-place], deep) if place <= len(states) else {}
        if any(name not in now or now[name] != what for name, what in mark.items()):
            return False
    return True


def _mark_of(state: FrameState, deep: bool) -> Mark:
    return {**_mark(state.held(), deep), _WHERE: state.index}


def _mark(held: Held, deep: bool = False) -> Mark:
    """What tells whether a frame holds the same; deep: objects' own fields and sizes as well."""
    return {name: _fields(value) if deep else _plain(value) for name, value in held.items()}


def _plain(value: object) -> object:
    return value if type(value) in _NUMBERS else id(value)


def _fields(value: object) -> object:
    try:
        fields = object.__getattribute__(value, "__dict__")
    except Exception:  # it has none, or makes them up: not worth more than its identity
        return _sized(value)
    if type(fields) is not dict:
        return _sized(value)
    return (_sized(value), *[_sized(field) for field in list(fields.values())[:_MOST_FIELDS]])


def _sized(value: object) -> object:
    return (id(value), len(value)) if isinstance(value, _SIZED) and type(value) in _SIZED else _plain(value)


_NUMBERS = frozenset((int, float, bool))
_SIZED = (list, dict, set, deque, bytearray)
