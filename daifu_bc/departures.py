"""Exceptions that somebody has decided to let go: nobody is asked again about them on their way out.

In: an exception, the living stack where it was decided. Out: whether that was so.
Always true: an exception that leaves its root is not kept alive.
"""

from __future__ import annotations

import threading
from types import FrameType

from daifu_bc.crash import ways
from daifu_bc.crash.levels import Stack
from daifu_bc.crash.underway import came_up_meanwhile


class _Thread(threading.local):
    let_go: BaseException | None = None
    at: FrameType | None = None  # only not at this frame again; None: nowhere
    left_root: tuple[int, int] = (0, 0)  # ids of an exception that was let go in its root, and of the root's frame


_thread = _Thread()


def let_go(exception: BaseException, stack: Stack, frame: FrameType | None) -> None:
    """It goes on. `frame`: only there nobody is asked again; None: nowhere."""
    if stack.root > 0:
        if frame is None:
            ways.remember(exception, stack.levels, stack.root)
        _thread.let_go, _thread.at = exception, frame
    else:  # it leaves the root: nothing is kept alive, a bare `raise` in the root is told by its ids
        _thread.left_root = (id(exception), id(stack.levels[0].frame))


def let_go_everywhere(exception: BaseException) -> None:
    """Nobody is asked about it."""
    _thread.let_go, _thread.at = exception, None


def is_let_go(exception: BaseException, frame: FrameType | None = None) -> bool:
    """Is it one that was let go (at `frame`)?"""
    return exception is _thread.let_go and (frame is None or frame is _thread.at)


def has_left(exception: BaseException, stack: Stack) -> bool:
    """Has somebody decided already that this exception goes on?"""
    again = (id(exception), id(stack.levels[0].frame)) == _thread.left_root
    if again and stack.raised_again:
        return True
    _thread.left_root = (0, 0)
    if exception is not _thread.let_go:
        if _thread.let_go is not None and not came_up_meanwhile(exception, _thread.let_go):
            _thread.let_go = _thread.at = None
        return False
    gone = _thread.at is None
    if stack.root == 0 and gone:
        _thread.let_go = None
        let_go(exception, stack, None)
    return gone
