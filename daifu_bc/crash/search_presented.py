"""Where a crash is presented: at the innermost frame whose failing instruction could succeed if it ran again.

In: the exception and the living stack. Out: the index of a level, always a protected one inside the root.
Always true: an explicit `raise` can only raise again, so its frame is passed over, up to the root; never a
frame whose unwinding would finish a generator or coroutine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from types import FrameType
from typing import Final

from daifu_bc.crash.handlers import HandlerTable, table_of
from daifu_bc.crash.handlers_symbols import Called, constant
from daifu_bc.crash.search_levels import Level
from daifu_bc.errors import InternalError
from daifu_bc.interpreter.behavior import GENERATES
from daifu_bc.transform.registry import protection_of

_RAISES: Final = frozenset({"RAISE_VARARGS", "RERAISE"})
_MOST: Final = 100  # exceptions behind one another that are looked at


def presented(exception: BaseException, levels: Sequence[Level]) -> int:
    """The index of the level at which the decision is asked."""
    found = None
    for index, level in enumerate(levels):
        if not level.inside:
            break
        if level.protected:
            found = index
            if failing_point(exception, level) is not None:
                return index
        if found is not None and (level.code.co_flags & GENERATES or level.code.co_name == "__del__"):
            return found  # what is passed over would be finished; from `__del__` nothing comes out to a caller
    if found is None:
        raise InternalError("no protected frame below the entry is alive")
    return found


def failing_point(exception: BaseException, level: Level) -> tuple[BaseException, int] | None:
    """The instruction of this frame that failed and could succeed again, and the exception that it raised.

    That is `exception` at `level.offset`; behind a re-raise or a raise in a handler, what the handler was
    entered for. None: an explicit raise. The offset is in bytes in `level.code`.
    """
    table = table_of(level.code)
    if not _only_raises(table, level.offset):
        return exception, level.offset
    for earlier in islice(_behind(exception), _MOST):
        for offset in _offsets_in(earlier, level.frame):
            if not _only_raises(table, offset) and level.offset in table.raising(offset):
                return earlier, offset
    return None


def _only_raises(table: HandlerTable, offset: int) -> bool:
    """Is it a raise that is no assert?"""
    step = table.reader.at(offset)
    if step.name not in _RAISES:
        return False
    if step.name == "RERAISE" or step.arg != 1:
        return True
    raised = table.operand(offset, 0)
    asserts = raised.callee if isinstance(raised, Called) else raised
    return asserts != constant(AssertionError)


def _behind(exception: BaseException) -> Iterator[BaseException]:
    """The exception, and those during whose handling or because of which it was raised."""
    seen: set[int] = set()
    waiting = [exception]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [other for other in (one.__context__, one.__cause__) if other is not None]


def _offsets_in(exception: BaseException, frame: FrameType) -> list[int]:
    """Where it came by in this frame, by its traceback, first place last raised first."""
    protection = protection_of(frame.f_code)
    found, entry = [], exception.__traceback__
    while entry is not None:
        if entry.tb_frame is frame:
            lasti = entry.tb_lasti
            found.append(lasti if protection is None else protection.to_original(lasti))
        entry = entry.tb_next
    return [offset for offset in reversed(found) if offset >= 0]
