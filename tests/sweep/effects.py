"""The effects object `p` of the corpus: every user-visible operation of a program is a numbered point.

In: the set of points that shall fail (each fails once, before it has its effect and before it is logged).
Out: `log`, the effects in the order in which they happened, and `fired`, the points that failed.
Always true: two runs without armed points give equal logs; a point that fails leaves no trace but `fired`.

Points are numbered in three lines, by kind, because what a retry may evaluate again differs (outcome.py):
    "effect"  calls, iteration, stores, deletes, imports, context managers, in-place operators, awaits
    "op"      operators: arithmetic, comparisons, truth tests, subscripts, formatting, hashing
    "attr"    reads of attributes: names, always read afresh
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

CORPUS = str(Path(__file__).resolve().parent.parent / "corpus")
MOST = 5000  # points in one run
LINES = {"call": "effect", "effect": "effect", "op": "op", "attr": "attr"}


class Injected(RuntimeError):
    """The failure that the sweep injects."""


class Endless(BaseException):
    """What a run gets that does not end: an edited `while True` may lose the step that ends it."""


class Point(NamedTuple):
    """Number `number` (from 0) in the line of points `line`."""

    line: str
    number: int


class Logged(NamedTuple):
    """One effect: its kind (a key of LINES), what it was, and the function and line of the program that
    had it.
    """

    kind: str
    what: str
    where: tuple[str, int] | None


def where() -> tuple[str, int] | None:
    """Qualified name and line of the innermost frame that is part of a corpus program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith((CORPUS, "<corpus")):
            return code.co_qualname, frame.f_lineno
        frame = frame.f_back
    return None


def show(value: object) -> str:
    """A text for `value` that depends on its content only and causes no effects."""
    if type(value) in (list, tuple, set, frozenset):
        assert isinstance(value, (list, tuple, set, frozenset))
        items = [show(item) for item in value]
        ordered = sorted(items) if isinstance(value, (set, frozenset)) else items
        return f"{type(value).__name__}({', '.join(ordered)})"
    if type(value) is dict:
        return "dict(" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + ")"
    if isinstance(value, (int, float, complex, str, bytes, type(None), type(Ellipsis), range)):
        return repr(value)
    if isinstance(value, slice):
        return f"slice({show(value.start)}, {show(value.stop)}, {show(value.step)})"
    if isinstance(value, BaseExceptionGroup):
        return f"{type(value).__name__}({value.message!r}, {show(list(value.exceptions))})"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}({', '.join(show(arg) for arg in value.args)})"
    if isinstance(value, type):
        return f"class {value.__qualname__}"
    shown = getattr(type(value), "_show", None)
    return shown(value) if shown else f"<{type(value).__name__}>"


class Effects:
    """What a program gets as `p`. See `objects.py` for the objects that it hands out."""

    Injected = Injected

    def __init__(self, armed: Iterable[Point] = ()) -> None:
        self.armed = frozenset(armed)
        self.counts = {"effect": 0, "op": 0, "attr": 0}
        self.points: list[tuple[Point, str]] = []
        self.fired: list[tuple[Point, str]] = []
        self.log: list[Logged] = []
        self.numbers = 0
        self.error: Callable[[str], BaseException] = Injected

    def point(self, kind: str, what: str) -> None:
        """The next user-visible operation: fails if armed, is logged otherwise."""
        line = LINES[kind]
        point = Point(line, self.counts[line])
        self.counts[line] += 1
        self.points.append((point, what))
        if len(self.points) > MOST:
            raise Endless
        if point in self.armed:
            self.fired.append((point, what))
            raise self.error(what)
        self.log.append(Logged(kind, what, where()))

    def call(self, name: str, *args: object, **kwargs: object) -> Any:
        """A call: without arguments it returns 1, 2, 3..., with one that argument, with more their tuple."""
        named = [f"{key}={show(value)}" for key, value in kwargs.items()]
        shown = name if isinstance(name, str) else show(name)  # random programs name calls by anything
        self.point("call", f"{shown}({', '.join([show(arg) for arg in args] + named)})")
        everything = (*args, *kwargs.values())
        if not everything:
            self.numbers += 1
            return self.numbers
        return everything[0] if len(everything) == 1 else everything

    def __call__(self, name: str, *args: object, **kwargs: object) -> Any:
        """The same through the object itself."""
        return self.call(name, *args, **kwargs)

    @property
    def ccall(self) -> Any:
        """`call` behind a callable that is written in C: the interpreter does not inline it."""
        return functools.partial(self.call)

    def sequence(self, *names: str) -> list[Any]:
        """Functions of no fixed signature named `names`, to be passed on or stored."""
        return [functools.partial(self.call, name) for name in names]

    def drive(self, coroutine: Any) -> Any:
        """Run a coroutine by hand, as an event loop would."""
        while True:
            try:
                coroutine.send(None)
            except StopIteration as stop:
                return stop.value
