"""The living stack as the search sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FrameType, MappingProxyType
from typing import Final

from daifu_bc.crash.entries import Always

NOTHING_KNOWN: Final[Mapping[int, object]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Level:
    """One Python frame of the living stack; levels come innermost first."""

    frame: FrameType
    code: CodeType  # the original code object of the frame: its exception table is the compiler's
    offset: int  # bytes, start of the instruction being executed there (in `code`)
    protected: bool  # runs protected code
    inside: bool  # the root or inner to it (False: a caller of the root)
    # Of `with` blocks: byte offset of the handler -> context manager.
    managers: Mapping[int, object] = NOTHING_KNOWN
    namespace: object = None  # of a class body or of module code, where it is at hand


def is_always(exception: BaseException, always: Always) -> bool:
    """Is it a crash even where the program would handle it?"""
    if isinstance(always, tuple):
        return isinstance(exception, always) if always else False
    return bool(always(exception))
