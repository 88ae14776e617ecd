"""Exceptions out of signal handlers: they land on an instruction that may have finished.

In: an exception and the frame that it surfaced in. Out: did a signal handler written in Python raise it?
Always true: nothing but the traceback and the table of handlers is looked at.

The interpreter runs handlers between instructions and at the end of calls: when one raises, the call's result is
there but not stored, and a retry would make the call twice.
"""

from __future__ import annotations

from types import FrameType

from daifu_bc.crash.signal_handlers import codes_of_handlers


def raised_by_signal_handler(exception: BaseException, frame: FrameType) -> bool:
    """Is what `frame` was interrupted by a signal handler, and not something that it called?"""
    entry = exception.__traceback__
    while entry is not None and entry.tb_frame is not frame:
        entry = entry.tb_next
    following = entry.tb_next if entry is not None else None
    return following is not None and following.tb_frame.f_code in codes_of_handlers()
