"""A crash with real frames and no engine: the public fields of a crash, for the console to talk to.

A program under test calls `crashed(exception)` in an `except` clause, which stands for the barrier: the frames below
are alive then, as they are at a crash. Which of them are protected is said by name.
"""

from __future__ import annotations

import ctypes
import linecache
import sys
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


class Locals(MutableMapping[str, Any]):
    """A living frame's variables, written through on every version."""

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        self.gone: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        if name in self.gone:
            raise KeyError(name)
        return self.frame.f_locals[name]

    def __setitem__(self, name: str, value: Any) -> None:
        view = self.frame.f_locals
        if name not in self.frame.f_code.co_varnames and self.frame.f_code.co_name != "<module>":
            raise KeyError(name)
        view[name] = value
        self.gone.discard(name)
        if isinstance(view, dict):
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(self.frame), ctypes.c_int(0))

    def __delitem__(self, name: str) -> None:
        self[name]
        self.gone.add(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in list(self.frame.f_locals) if name not in self.gone)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass
class Finished:
    source: str
    result: object


@dataclass
class Loop:
    lineno: int
    source: str
    iterator: object
    state: str = "alive"


@dataclass
class FakeFrame:
    python_frame: FrameType
    lineno: int
    expression: str = ""
    finished: list[Finished] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.function = self.python_frame.f_code.co_qualname
        self.filename = self.python_frame.f_code.co_filename
        self.statement = linecache.getline(self.filename, self.lineno).strip()
        self.locals = Locals(self.python_frame)
        self.globals = self.python_frame.f_globals

    def run(self, code: str) -> object:
        self.actions.append(code)
        names = dict(self.locals)
        before = dict(names)
        try:
            try:
                compiled = compile(code, "<action>", "eval")
            except SyntaxError:
                exec(compile(code, "<action>", "exec"), self.globals, names)
                return None
            return eval(compiled, self.globals, names)
        finally:
            self._write_back(before, names)

    def _write_back(self, before: dict[str, object], names: dict[str, object]) -> None:
        for name in before.keys() - names.keys():
            del self.locals[name]
        for name, value in names.items():
            if name not in before or before[name] is not value:
                try:
                    self.locals[name] = value
                except KeyError:
                    self.globals[name] = value


class FakeCrash:
    """`exception` at the frames of `protected` functions, innermost first."""

    def __init__(self, exception: BaseException, frames: list[FakeFrame], presented: int = 0) -> None:
        self.exception = exception
        self.frames = frames
        self.frame = presented
        self.attempt = 1
        self.refused: dict[object, str] = {}
        self.asked: list[object] = []

    def can(self, restart: object) -> str | None:
        self.asked.append(restart)
        for key, reason in self.refused.items():
            if restart == key or (isinstance(key, type) and isinstance(restart, key)):
                return reason
        return None


def take(exception: BaseException, protected: set[str], depth: int = 1) -> FakeCrash:
    """The crash as the barrier in the caller of this function's caller sees it."""
    lines = {}
    traceback = exception.__traceback__
    while traceback is not None:
        lines[traceback.tb_frame] = traceback.tb_lineno
        traceback = traceback.tb_next
    frames = []
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if frame.f_code.co_name in protected:
            frames.append(FakeFrame(frame, lines.get(frame, frame.f_lineno)))
        frame = frame.f_back
    return FakeCrash(exception, frames)


def crashing(
    decide: Callable[[FakeCrash], Any], protected: set[str] | None = None
) -> Callable[[BaseException], Any]:
    """What a program calls where a barrier would be."""

    def crashed(exception: BaseException) -> Any:
        frame = sys._getframe(1)
        return decide(take(exception, protected or {frame.f_code.co_name}, depth=2))

    return crashed
