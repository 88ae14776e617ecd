"""Ways that exceptions are on: who is past the search need not be searched for again at each frame further out.

In: an exception whose way through the living stack has been found. Out: whether a frame that it comes to is on it.
Always true: nothing is kept alive (an exception holds its frames, and those the program's tensors): frames and the
exception are known by their ids, which are believed only where the traceback shows that it comes from the last frame
of the way that was asked. In doubt it is no known way, and the search is made again.

What we want: an exception that passes a thousand protected frames costs a thousand times one. What does not work: the
search at each of them, since it walks to the root. What still fails: a frame between whose `finally` changes what
the handler further out catches is not asked; the handler's own frame is.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import FrameType

from daifu_bc.crash.search_levels import Level
from daifu_bc.transform.registry import protection_of


class _Way(threading.local):
    exception: int = 0  # ids
    last: int = 0  # the frame that was asked last
    before: int = 0  # the one before it: an exception that is raised again comes to several barriers of one frame
    further: dict[int, int] = {}  # frame -> its place on the way
    place: int = -1  # of the last


_way = _Way()


def remember(exception: BaseException, levels: Sequence[Level], end: int) -> None:
    """It goes from the first of `levels` out to level number `end`, which is not on the way itself."""
    _way.exception, _way.last, _way.before, _way.place = id(exception), id(levels[0].frame), 0, 0
    _way.further = {id(levels[number].frame): number for number in range(1, end)}


def forget() -> None:
    """No way is known in this thread."""
    _way.exception = 0


def is_on_known_way(exception: BaseException, frame: FrameType) -> bool:
    """Has it come to `frame` on the way that was found?"""
    if id(exception) != _way.exception:
        return False
    came_from = _came_from(exception, frame)
    if id(frame) == _way.last:
        return came_from == _way.before != 0
    place = _way.further.get(id(frame), -1)
    if place <= _way.place or came_from != _way.last:
        return False
    _way.last, _way.before, _way.place = id(frame), _way.last, place
    return True


def _came_from(exception: BaseException, frame: FrameType) -> int:
    """The id of the protected frame that it left before it came to `frame`; 0 if it did not."""
    entry = exception.__traceback__
    if entry is None or entry.tb_frame is not frame:
        return 0
    entry = entry.tb_next
    while entry is not None and protection_of(entry.tb_frame.f_code) is None:
        entry = entry.tb_next
    return id(entry.tb_frame) if entry is not None else 0
