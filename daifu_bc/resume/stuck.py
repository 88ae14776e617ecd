"""Iterators that would wait for ever: what feeds them from elsewhere (a worker process) is gone.

In: judges, handed in from above (integrations); an iterator, or a crashed frame. Out: a sentence, or None.
Always true: nothing is taken from an iterator; in doubt it can be asked.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType, GeneratorType
from typing import Final

from daifu_bc.crash.frame_slots import read_slot
from daifu_bc.resume.iterators import sources_of

Judge = Callable[[object], str | None]
_judges: Final[list[Judge]] = []
_MOST = 100  # iterators around iterators


def add_judge(judge: Judge) -> None:
    """Let this function say why an iterator would wait for ever. Adding one twice is adding it once."""
    if judge not in _judges:
        _judges.append(judge)


def waits_for_ever(iterator: object) -> str | None:
    """Why the next item of an iterator, or of one that it takes from, would never come; or None."""
    asked, seen = [iterator], {id(iterator)}
    while asked and len(seen) < _MOST:
        one = asked.pop()
        reason = next((reason for judge in _judges if (reason := judge(one))), None)
        if reason is not None:
            return reason
        new = [source for source in sources_of(one) if id(source) not in seen] if _only_hands_on(one) else []
        seen.update(map(id, new))
        asked += new
    return None


def frame_waits_for_ever(frame: FrameType) -> str | None:
    """The same of the iterator that `frame` runs a method of."""
    code = frame.f_code
    if not _judges or code.co_argcount == 0:
        return None
    owner = read_slot(frame, code.co_varnames[0], None)
    return next((reason for judge in _judges if (reason := judge(owner))), None)


def _only_hands_on(iterator: object) -> bool:
    """Is this an iterator in C, which takes from others and does nothing else?"""
    return type(iterator).__module__ in ("builtins", "itertools") and not isinstance(iterator, GeneratorType)
