"""New code for a function, running or not, with no question asked.

In: a function and its new text. Out: every reference to it calls the new code, and calls that are running go on in it
from their next line on.
Always true: an edit that cannot be is refused before anything is changed; a running call that has no place to go on in
the new code finishes in the old one, or goes over at a later line that has; no events stay on once all have gone over.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import CodeType, FrameType

from daifu_bc import operation
from daifu_bc.errors import CannotResume, DaifuError, Paused
from daifu_bc.pause import Request, suspended
from daifu_bc.restarts.restarts import Surgery
from daifu_bc.transform.registry import Protection, original_of, protection_of
from daifu_bc.updates.apply import apply, edit_of, function_meant


def patch(target: object, source: str | None = None) -> list[str]:
    """Give a function new code: `source`, its new text, or else what its file says now.

    `target`: a function, method, hook, partial or other wrapper (`loader.collate_fn`); protected or not, on the stack
    or not. What else changed in the file comes along. Calls of protected functions that are running, in whatever
    thread, go on in the new code from their next line. Out: what of the edit was not applied, a sentence each.
    Raises CannotProtect for what has no Python code, CannotResume for an edit that cannot be.
    """
    edit = edit_of(target, source)
    old = edit.old.code
    running = [frame.f_code for frame in _frames_of(old)] + list(suspended({id(old)}, running_too=True))
    notes = list(apply(edit, function_meant(target, source).__globals__).notes)
    codes = list({id(code): code for code in running}.values())
    if codes:
        try:
            _TakeOver(old, Surgery(source=source)).begin(codes)
        except DaifuError as error:
            warnings.warn(f"{error}; calls that are running finish in the old code", RuntimeWarning, stacklevel=2)
    return notes


class _TakeOver:
    """Moves the running calls of one function into its new code, each at a line that has a place there."""

    def __init__(self, old: CodeType, surgery: Surgery) -> None:
        self.old = old
        self.surgery = surgery
        self.refused: set[int] = set()  # instructions that have no place in the new code
        self.request = Request(self.at_line)

    def begin(self, codes: list[CodeType]) -> None:
        self.request.begin(codes)

    def at_line(self, frame: FrameType, protection: Protection, index: int) -> Paused | None:
        if protection.original is not self.old or index in self.refused:
            return None
        try:
            prepared = operation.prepared_at(frame, protection, index, self.surgery, starts_over=True)
        except CannotResume:
            self.refused.add(index)
            return None
        known = {*self.old.co_varnames, *self.old.co_cellvars, *self.old.co_freevars}
        if not known.issuperset(prepared.protection.original.co_freevars):
            self.refused.add(index)
            return None
        if not any(other is not frame for other in _frames_of(self.old)) and not any(suspended({id(self.old)})):
            self.request.stop()
        return Paused(self.surgery)


def _frames_of(original: CodeType) -> Iterator[FrameType]:
    """Protected frames on the stacks of all threads that run this function."""
    for frame in list(sys._current_frames().values()):
        current: FrameType | None = frame
        while current is not None:
            if protection_of(current.f_code) is not None and original_of(current.f_code) is original:
                yield current
            current = current.f_back
