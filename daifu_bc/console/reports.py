"""Reports of the console: finished calls, recoveries.

In: what the crash and the record hold. Out: text. Always true: nothing is changed and nothing is raised for a
row that cannot be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from daifu_bc.console.values import one_line, short
from daifu_bc.console.view import FinishedListLike

ROWS = 30  # the latest recoveries that are shown


def finished_text(finished: FinishedListLike, width: int) -> str:
    """The finished calls, numbered from 0 as in `crash.finished`."""
    if not len(finished):
        return "nothing is kept: the failing statement had finished no call"
    rows = []
    for number in range(len(finished)):
        call = finished[number]
        source = one_line(call.source, width // 2)
        rows.append(f"{number:>3}  {source} -> {short(call.result, max(width - len(source) - 9, 20))}")
    return "\n".join(rows)


def recoveries_text(recoveries: Callable[[], Iterable[object]] | None, width: int) -> str:
    """The latest recoveries, oldest first."""
    try:
        rows = list((recoveries or _recorded())())
    except ImportError:
        rows = []
    if not rows:
        return "nothing was recovered in this process yet"
    more = [f"... {len(rows) - ROWS} before"] if len(rows) > ROWS else []
    return "\n".join([*more, *(one_line(_row(row), 3 * width) for row in rows[-ROWS:])])


def _row(row: object) -> str:
    try:
        return str(row)
    except Exception as error:  # one row must not hide the others
        return f"<a recovery that cannot be shown: {type(error).__name__}>"


def _recorded() -> Callable[[], Iterable[object]]:
    # imported when asked for: the console does not depend on the engine's top
    recoveries: Callable[[], Iterable[object]] = import_module("daifu_bc.recovery").recoveries
    return recoveries
