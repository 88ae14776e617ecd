"""Is an exception that somebody has decided about still on its way while another one comes up?

In: both exceptions, the frames of the way. Out: yes in doubt, where the other was raised while the first is handled
(`finally`, `__exit__`), noted (`except*`) or waits in a coroutine that other tasks run beside.
Always true: nothing is changed. A decision that is given up too early lets a mended exception end the run; one that
is kept too long keeps its frames alive until the next exception of the thread.
"""

from __future__ import annotations

import inspect
import opcode
from collections.abc import Sequence
from types import FrameType
from typing import Final

from daifu_bc.crash.levels import is_called_by
from daifu_bc.transform.registry import original_of

_LONGEST_CHAIN: Final = 1000
_EG_MATCH: Final = opcode.opmap["CHECK_EG_MATCH"]
_AWAITS: Final = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def came_up_meanwhile(other: BaseException, first: BaseException) -> bool:
    """Was `other` raised while `first` was being handled?"""
    link: BaseException | None = other.__context__
    for _ in range(_LONGEST_CHAIN):
        if link is None or link is first:
            break
        link = link.__context__
    return link is first


def is_underway(first: BaseException, way: Sequence[FrameType], other: BaseException, frame: FrameType) -> bool:
    """May `first`, on its way through the frames of `way`, still come while `other` has come to `frame`?"""
    if came_up_meanwhile(other, first):
        return True
    inside = [one for one in way if one is frame or is_called_by(one, frame)]
    if not inside:  # raised elsewhere: is the way that of a task that waits?
        return bool(way) and bool(way[-1].f_code.co_flags & _AWAITS)
    return any(_has_clauses_for_groups(one) for one in inside)


def _has_clauses_for_groups(frame: FrameType) -> bool:
    """Is there an `except*`? Its clauses run one after the other while what one of them raised waits in a list."""
    return _EG_MATCH in original_of(frame.f_code).co_code[::2]

