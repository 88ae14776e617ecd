"""Runs a small program, asks the search at the raise, and sees what then becomes of the exception."""

from __future__ import annotations

import asyncio
import sys
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from daifu_bc.crash.search import Handled, Level, handled_by, left_alone, presented


class Problem(Exception):
    """An exception of the programs' own."""


@dataclass
class Seen:
    """What the search said, and what became of the exception."""

    handled: Handled | None = None
    alone: str | None = None
    presented_in: str | None = None
    escaped: BaseException | None = None
    asked: int = 0
    levels: list[Level] = field(default_factory=list)


def levels_of(frame: FrameType | None, root: CodeType, protected: Callable[[FrameType], bool]) -> list[Level]:
    """The living stack from `frame` outwards; frames up to that of `root` are inside."""
    levels: list[Level] = []
    inside = True
    while frame is not None and frame.f_code is not run.__code__:
        levels.append(Level(frame, frame.f_code, frame.f_lasti, inside and protected(frame), inside))
        inside = inside and frame.f_code is not root
        frame = frame.f_back
    return levels


def run(
    source: str,
    exception: BaseException | None = None,
    *,
    call: str = "f",
    root: str = "f",
    unprotected: tuple[str, ...] = (),
    always: Any = (),
    names: dict[str, Any] | None = None,
) -> Seen:
    """Define what `source` defines and call `call`; `boom()` asks the search and raises `exception`."""
    seen = Seen()

    def protected(frame: FrameType) -> bool:
        return frame.f_code.co_filename == "train.py" and frame.f_code.co_name not in unprotected

    def look(error: BaseException, frame: FrameType) -> None:
        if seen.asked:
            return
        seen.asked += 1
        code = namespace[root].__code__
        seen.levels = levels_of(frame, code, protected)
        seen.handled = handled_by(error, seen.levels, always)
        seen.alone = left_alone(error, seen.levels, always)
        seen.presented_in = seen.levels[presented(error, seen.levels)].code.co_name

    def boom(*_: object) -> Any:
        assert exception is not None
        look(exception, sys._getframe(1))
        raise exception

    namespace: dict[str, Any] = {"boom": boom, "Problem": Problem, "__name__": "train", **(names or {})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(textwrap.dedent(source), "train.py", "exec"), namespace)
    try:
        result = namespace[call]()
        if asyncio.iscoroutine(result):
            drive(result)
    except BaseException as error:
        seen.escaped = error
    assert seen.asked, "the program never raised"
    return seen


def drive(coroutine: Any) -> None:
    """Run a coroutine that awaits nothing from outside."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("it awaits something from outside")
