"""The way back for a frame that has handed itself over, where its recovery cannot be built after all.

In: what it handed over, the exception. Out: a procedure that puts the frame together as it was and raises the exception
in it, where it was stopped: the program's own handlers, `finally` and `__exit__` run as they would have without us.
Always true: nothing that was decided is carried out; the traceback of the exception is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from daifu_bc.crash.state import FrameState
from daifu_bc.errors import InternalError
from daifu_bc.resume.procedure import Entrance, build_procedure
from daifu_bc.resume.snapshot import take_snapshot
from daifu_bc.transform import registry


def build_raise(
    exception: BaseException,
    state: FrameState,
    handed_over: list[Any],
    context: int,
    handled: BaseException | None,
    frame: FrameType,
) -> Callable[[], Any]:
    """A callable without arguments that raises `exception` in the rebuilt frame."""
    protection = state.protection
    base = protection.base if protection.base is not None else frame.f_code
    found = registry.protection_of(base)
    if found is None:
        raise InternalError("the record of a protected code object is gone")
    kinds = found.contexts.table[context].kinds
    snapshot = take_snapshot(handed_over, found, kinds, handled)
    entrance = Entrance(
        index=state.index,
        position=found.positions_of[state.index],
        depth=len(kinds),
        recipe=[],
        values=[],
        raises=exception,
        context=context,
    )
    return build_procedure(base, found, snapshot, entrance, frame.f_globals)
