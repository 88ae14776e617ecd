"""File descriptors in reserve: the console must open when a run crashes for want of them.

In: nothing. Out: `released()`, within which two descriptors are free. Always true: nothing is held unless there is a
terminal; only what was opened here is closed (a program may close every number and open others under it).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

COUNT = 2  # reading a module, or a source file, takes one at a time
_held: list[tuple[int, tuple[int, int]]] = []  # number, and which file it was opened for


def hold() -> None:
    """Open them, as far as there is room."""
    try:
        while len(_held) < COUNT and os.isatty(0):
            number = os.open(os.devnull, os.O_RDONLY)
            _held.append((number, _file_of(number)))
    except OSError:
        return


@contextlib.contextmanager
def released() -> Iterator[None]:
    """They are free in here, and held again afterwards."""
    while _held:
        number, file = _held.pop()
        with contextlib.suppress(OSError):
            if _file_of(number) == file:
                os.close(number)
    try:
        yield
    finally:
        hold()


def _file_of(number: int) -> tuple[int, int]:
    found = os.fstat(number)
    return found.st_dev, found.st_ino
