"""Decisions whose exception is still on its way to the frame, or to the edge of the block, where they begin.

In: decisions. Out: the one that an exception at a barrier was waiting for.
Always true: other exceptions that come up and end on the way (in a `finally`, an `__exit__`, another task) change
nothing; of a decision whose exception cannot come any more nothing is kept alive longer than to the next exception.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from daifu_bc.crash.levels import failing_offset, is_called_by
from daifu_bc.crash.state import FrameState
from daifu_bc.crash.underway import is_underway
from daifu_bc.restarts.restarts import Restart
from daifu_bc.transform.registry import original_of

_MOST: Final = 16  # of tasks that wait; about an older one somebody is asked again


@dataclass(slots=True, eq=False)
class Decided:
    """A decision on its way to the frame that it is for."""

    exception: BaseException
    frame: FrameType
    restart: Restart
    state: FrameState  # with what the developer changed
    outer: list[FrameState]  # of the frames around it
    crash: Any
    at: float  # perf_counter of the decision
    waited: float
    way: list[FrameType]  # from the crash to the frame that it is for: whoever else raises it again is another crash

    def still_comes_to(self, frame: FrameType) -> bool:
        """Is the exception still on the way that it had when it was decided about? (C code may have swallowed it.)"""
        if frame not in self.way:
            return False
        del self.way[: self.way.index(frame)]
        if frame is not self.frame or self.state.shown is not None:
            return True
        return self.state.protection.index_at(failing_offset(self.exception, frame)) == self.state.index

    def has_moved_to(self, frame: FrameType) -> bool:
        """Has the frame handed itself over meanwhile, and `frame` goes on with its function?"""
        return frame.f_back is self.frame and original_of(frame.f_code) is self.state.protection.original

    def waits_for_call_of(self, frame: FrameType) -> bool:
        """Does `frame` run in a call that the frame which it is for waits for?"""
        return is_called_by(self.frame, frame)


class _Underway(threading.local):
    """The decisions of this thread that are on their way, the latest last."""

    def __init__(self) -> None:
        self.decided: list[Decided] = []

    def add(self, decided: Decided) -> None:
        """One more."""
        self.decided[:] = [*self.decided[1 - _MOST :], decided]

    def expected(self, exception: BaseException, frame: FrameType) -> Decided | None:
        """The decision about this exception, None if it is another one. What cannot come any more is forgotten."""
        found = next((one for one in reversed(self.decided) if one.exception is exception), None)
        if found is not None:
            del self.decided[self.decided.index(found) + 1 :]
        else:
            self.decided[:] = [one for one in self.decided if is_underway(one.exception, one.way, exception, frame)]
        return found

    def forget(self, exception: BaseException) -> None:
        """Whatever was decided about it is void."""
        self.decided[:] = [one for one in self.decided if one.exception is not exception]


underway: Final = _Underway()
