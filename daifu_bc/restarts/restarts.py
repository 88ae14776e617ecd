"""Restarts: how a crashed run goes on. Values only; `resume` gives them their meaning.

Always true: restarts are frozen, compare by value, and their `str` is the console command that asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass


class Restart:
    """Base class of all restarts."""

    __slots__ = ()


def word_of(restart: object) -> str:
    """The console command's name, without its value (whose text the program makes, which may fail)."""
    name = type(restart).__name__
    return "next-iteration" if name == "NextIteration" else name.lower()


@dataclass(frozen=True, slots=True)
class Retry(Restart):
    """Go on at the failing instruction; finished calls are kept, names are read afresh."""

    def __str__(self) -> str:
        return "retry"


@dataclass(frozen=True, slots=True)
class Redo(Restart):
    """Go on at the start of the failing statement; its finished calls run again."""

    def __str__(self) -> str:
        return "redo"


@dataclass(frozen=True, slots=True)
class Skip(Restart):
    """Go on after the failing statement."""

    def __str__(self) -> str:
        return "skip"


@dataclass(frozen=True, slots=True)
class NextIteration(Restart):
    """Give up the rest of this iteration of loop number `loop` (0: the innermost) and ask for its next item."""

    loop: int = 0

    def __str__(self) -> str:
        return f"next-iteration {self.loop}" if self.loop else "next-iteration"


@dataclass(frozen=True, slots=True)
class Jump(Restart):
    """Go on at the statement that starts on line `lineno` (of the file, 1-based) of the same or an outer block."""

    lineno: int

    def __str__(self) -> str:
        return f"jump {self.lineno}"


@dataclass(frozen=True, slots=True)
class Abort(Restart):
    """Let the exception go on as if daifu_bc were not there."""

    def __str__(self) -> str:
        return "abort"


@dataclass(frozen=True, slots=True)
class Use(Restart):
    """Go on after the failing instruction with `value` as its result."""

    value: object

    def __str__(self) -> str:
        return f"use {self.value!r}"


@dataclass(frozen=True, slots=True)
class Return(Restart):
    """Leave the frame, as if it had returned `value`."""

    value: object = None

    def __str__(self) -> str:
        return f"return {self.value!r}"


@dataclass(frozen=True, slots=True)
class Surgery(Restart):
    """Go on in new code (`source`, or the function's text in file `path`, or its own file), at line `at` if given."""

    source: str | None = None
    path: str | None = None
    at: int | None = None

    def __str__(self) -> str:
        return "surgery"


@dataclass(frozen=True, slots=True)
class At(Restart):
    """Apply `restart` to frame number `frame` of `crash.frames`; the frames inside it are unwound first."""

    frame: int
    restart: Restart

    def __str__(self) -> str:
        return f"in frame {self.frame}: {self.restart}"


@dataclass(frozen=True, slots=True)
class Stop(Restart):
    """Not for policies: what they were left by, which goes out of the program in the crash's place."""

    error: BaseException

    def __str__(self) -> str:
        return f"stop by {type(self.error).__name__}"
