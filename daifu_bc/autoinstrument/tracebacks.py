"""Tracebacks without our frames.

In: an error that one of our functions lets through. Out: its traceback as if that function were not there.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any


def without_frame(error: BaseException, namespace: dict[str, Any]) -> TracebackType | None:
    """The error's traceback without the entries of the frames in `namespace` that it begins with.

    For a frame that raises the error again by a bare `raise`: Python does not put that frame back.
    """
    entry = error.__traceback__
    while entry is not None and entry.tb_frame.f_globals is namespace:
        entry = entry.tb_next
    return entry
