"""Slots of a living frame (plain locals, cells, hidden ones), read and written by name from outside.

In: a living frame of any kind, names. Out: values.
Always true: reading changes nothing and keeps nothing alive. That is why it goes through `PyFrame_GetVar` where
`frame.f_locals` does not write through: there it fills a dict which the frame keeps, and with it every local that a
function has at that moment, until it returns.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import FrameType
from typing import Any

from daifu_bc.interpreter import behavior

_ABSENT = object()
# References to a snapshot that nobody else has: the frame's, two variables of ours, getrefcount's argument.
_OF_FRAME_AND_US = 4


def read_slot(frame: FrameType, name: str, default: object) -> object:
    """What the slot `name` holds, a cell's contents if it is one; `default` where it is not bound."""
    try:
        value: object = _call_of_interpreter("PyFrame_GetVar")(frame, name)
    except NameError:
        return default
    return value


def reader_of(frame: FrameType) -> Callable[[str, object], object]:
    """`read_slot` for many variables of one frame that runs a function: faster where f_locals writes through."""
    if behavior.f_locals_writes_through:
        return frame.f_locals.get
    return lambda name, default: read_slot(frame, name, default)


def hidden_values(frame: FrameType, names: Iterable[str]) -> dict[str, object]:
    """Hidden locals of ours that hold a value, in any kind of frame."""
    found = {name: read_slot(frame, name, _ABSENT) for name in names}
    return {name: value for name, value in found.items() if value is not _ABSENT}


def write_slot(frame: FrameType, name: str, value: object) -> None:
    """Bind the slot `name`."""
    view = frame.f_locals
    view[name] = value
    if isinstance(view, dict):
        _push(frame, view)


def _push(frame: FrameType, snapshot: dict[str, Any]) -> None:
    """Carry a snapshot that was just taken back into the frame's slots (where f_locals does not write through)."""
    _call_of_interpreter("PyFrame_LocalsToFast")(frame, 0)
    # The frame keeps the dict; emptied, it keeps no values alive. A program that called locals() has it too.
    if sys.getrefcount(snapshot) <= _OF_FRAME_AND_US:
        snapshot.clear()


@cache
def _call_of_interpreter(name: str) -> Callable[..., Any]:
    """A function of the C API that takes a frame and one more argument: a name to read, a flag otherwise."""
    call = getattr(ctypes.pythonapi, name)
    reads = name == "PyFrame_GetVar"
    call.restype = ctypes.py_object if reads else None
    call.argtypes = [ctypes.py_object, ctypes.py_object if reads else ctypes.c_int]
    return call  # type: ignore[no-any-return]  # ctypes looks functions up by name
