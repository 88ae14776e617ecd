"""What a run of a program did, and whether two runs did the same.

In: a function and its effects object. Out: an Outcome; `difference` of two of them in words.
Always true: comparing leaves out what a retry may evaluate again, and nothing else:
    keep="all"    reads of attributes (names, read afresh by design)
    keep="calls"  also operators that no call follows in the same statement (the line stands for the
    statement)
"""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sweep.effects import Effects, Injected, Logged, show


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result or error as text, the log, what was printed, where the error came through, the error itself."""

    result: str
    error: str
    log: tuple[Logged, ...]
    output: str
    trace: tuple[tuple[str, int | None], ...]
    notes: tuple[str, ...]
    injected: bool


def observe(function: Callable[[Any], Any], p: Effects) -> Outcome:
    """Run `function(p)` and write down all that can be seen of it."""
    output, result, error = io.StringIO(), "", None
    # BaseException, not Exception's subclasses: a caller that names a narrow class would count as a handler.
    with contextlib.redirect_stdout(output):
        try:
            result = show(function(p))
        except BaseException as raised:
            error = raised
    if error is None:
        return Outcome(result, "", tuple(p.log), output.getvalue(), (), (), False)
    trace = tuple((entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__))
    notes = tuple(getattr(error, "__notes__", ()))
    injected = caused_by_injection(error)
    return Outcome("", show(error), tuple(p.log), output.getvalue(), trace, notes, injected)


def caused_by_injection(error: BaseException | None) -> bool:
    """Whether an Injected is in the chain of `error`, or in its group."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        if isinstance(one, Injected):
            return True
        seen.add(id(one))
        waiting += [one.__cause__, one.__context__]
        waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
    return False


def counted(log: Sequence[Logged], keep: str) -> list[Logged]:
    """The part of a log that must not differ."""
    kept = []
    for at, entry in enumerate(log):
        if entry.kind == "attr" or (entry.kind == "op" and keep == "calls" and not _feeds_call(log, at)):
            continue
        kept.append(entry)
    return kept


def _feeds_call(log: Sequence[Logged], at: int) -> bool:
    here = log[at].where
    for entry in log[at + 1 :]:
        if entry.where == here and entry.kind == "call":
            return True
        if here is None or entry.where is None or (entry.where[0] == here[0] and entry.where != here):
            return False
    return False


def difference(seen: Outcome, expected: Outcome, keep: str) -> str:
    """What differs, in words; "" if nothing does."""
    logs = counted(seen.log, keep), counted(expected.log, keep)
    for at, (one, other) in enumerate(zip(*logs, strict=False)):
        if one != other:
            return f"effect {at}: {_text(one)} instead of {_text(other)}"
    if len(logs[0]) != len(logs[1]):
        longer = max(logs, key=len)
        words = "too many" if longer is logs[0] else "missing"
        rest = [_text(entry) for entry in longer[min(map(len, logs)) :][:3]]
        return f"effects {words}: {rest}; error {seen.error!r}"
    for what in ("error", "result", "output"):
        if getattr(seen, what) != getattr(expected, what):
            return f"{what} {getattr(seen, what)!r} instead of {getattr(expected, what)!r}"
    return ""


def _text(entry: Logged) -> str:
    place = f"{entry.where[0]}:{entry.where[1]}" if entry.where else "nowhere"
    return f"{entry.what} ({place})"
