"""What becomes of a crash's exception: its traceback, the frames that it holds, our words about it.

In: an exception and the frame that went on. Out: the same exception.
Always true: the user's exception is never replaced; what the failed calls held is free before the program goes on.
"""

from __future__ import annotations

import traceback
from types import FrameType

from daifu_bc.errors import CannotResume
from daifu_bc.resume import check


def strip(exception: BaseException, frame: FrameType) -> None:
    """One traceback entry per function: without the crashed frame's own, for which the unfinished procedure stands.

    Only the first entry: further ones of this frame are the program's own.
    """
    entry = exception.__traceback__
    if entry is not None and entry.tb_frame is frame:
        exception.__traceback__ = entry.tb_next


def clear(exception: BaseException, frame: FrameType) -> None:
    """Drop what the frames of the failed calls hold: it must be free before the program goes on."""
    entry = exception.__traceback__
    while entry is not None:
        if entry.tb_frame is not frame:
            check.clear_frame(entry.tb_frame)
        entry = entry.tb_next
    exception.__traceback__ = None


def add_note(exception: BaseException, error: BaseException) -> None:
    if isinstance(error, (RecursionError, MemoryError)):
        return  # there is no room for us: that is the program's own state, not a fault of ours
    try:
        if isinstance(error, CannotResume):
            exception.add_note(f"daifu_bc: {error}")
        else:
            trail = "".join(traceback.format_exception(error))
            exception.add_note(f"daifu_bc: internal error, the exception goes on as if we were not there:\n{trail}")
    except Exception:  # an exception class that refuses notes
        return
