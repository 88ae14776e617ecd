"""What can be decided at a crash, in the order in which it is offered.

In: a crash and the index of one of its frames. Out: choices (possible or refused, with the reason) and the
default. Always true: a choice that is not refused was asked of the crash itself; nothing is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass

from daifu_bc.console.values import one_line
from daifu_bc.console.view import CrashLike, FrameLike
from daifu_bc.restarts.restarts import Abort, At, Jump, NextIteration, Redo, Restart, Retry, Return, Skip, Use

LOOPS = 4  # enclosing loops that are offered
_BY_DEFAULT: tuple[Restart, ...] = (Retry(), Skip(), NextIteration(), Redo())


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of the list of restarts."""

    command: str  # as it is typed
    meaning: str
    restart: Restart  # with a stand-in for what has to be typed
    needs: str = ""  # what has to be typed besides: "EXPR", "LINE"
    refused: str | None = None  # why it is not possible here

    @property
    def usage(self) -> str:
        return f"{self.command} {self.needs}".rstrip()


def placed(crash: CrashLike, index: int, restart: Restart) -> Restart:
    """`restart`, applied to frame number `index`."""
    return restart if index == crash.frame or isinstance(restart, Abort) else At(index, restart)


def refusal(crash: CrashLike, restart: Restart) -> str | None:
    """Why `restart` is not possible at `crash`; None if it is. To abort is always possible."""
    if isinstance(restart, Abort):
        return None
    try:
        return crash.can(restart)
    except Exception as error:  # a question that fails is answered with no
        return f"{type(error).__name__}: {error}"


def choices(crash: CrashLike, index: int) -> list[Choice]:
    """Everything that is offered in frame number `index`."""
    return [_asked(crash, index, choice) for choice in _offers(crash.frames[index])]


def default(crash: CrashLike, index: int) -> Restart:
    """What `continue` takes in frame number `index`: the first that is possible and loses least."""
    for restart in _BY_DEFAULT:
        if refusal(crash, placed(crash, index, restart)) is None:
            return placed(crash, index, restart)
    return Abort()


def _asked(crash: CrashLike, index: int, choice: Choice) -> Choice:
    if isinstance(choice.restart, Jump):  # depends on the line alone
        return choice
    reason = refusal(crash, placed(crash, index, choice.restart))
    return Choice(choice.command, choice.meaning, choice.restart, choice.needs, reason)


def _offers(frame: FrameLike) -> list[Choice]:
    expression = one_line(frame.expression or "the failing instruction", 32)
    kept = len(frame.finished)
    keeping = f", {kept} finished call{'s' if kept > 1 else ''} kept" if kept else ""
    return [
        Choice("retry", f"evaluate {expression} again{keeping}", Retry()),
        Choice("redo", "run the failing statement again from its start", Redo()),
        Choice("skip", "go on after the failing statement", Skip()),
        *_iterations(frame),
        Choice("use", f"go on with EXPR as the result of {expression}", Use(None), "EXPR"),
        Choice("return", f"leave {frame.function} with EXPR as its result", Return(None), "EXPR"),
        Choice("jump", "go on at LINE of the same or an outer block", Jump(frame.lineno or 0), "LINE"),
        Choice("abort", "let the exception go on", Abort()),
    ]


def _iterations(frame: FrameLike) -> list[Choice]:
    rows = []
    for number, loop in enumerate(frame.loops[:LOOPS]):
        restart = NextIteration(number)
        rows.append(Choice(str(restart), f"give this item up; on with {one_line(loop.source, 40)}", restart))
    return rows
