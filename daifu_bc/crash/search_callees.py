"""What the instruction calls that a frame is at: a function of the program's, or C code that calls back.

In: the level of a caller, that of the frame inside it. Out: the object that is called; whether it is C code.
Always true: nothing of the program runs; what cannot be told is UNKNOWN or None.
"""

from __future__ import annotations

import functools
import types
from types import FunctionType, MethodType
from typing import Final

from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.handlers_reading import Instruction
from daifu_bc.crash.handlers_symbols import Attribute, Called, last_name
from daifu_bc.crash.search_levels import Level
from daifu_bc.crash.search_names import UNKNOWN, in_class, is_class, resolve, space_of_frame
from daifu_bc.transform.registry import original_of

CALLS: Final = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
_C_FUNCTIONS: Final = frozenset({
    types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType,
    types.ClassMethodDescriptorType,
})  # fmt: skip
_type_call: Final = type.__dict__["__call__"]


def at(level: Level) -> Instruction:
    """The instruction that a frame is at."""
    return table_of(level.code).reader.at(level.offset)


def called_by(level: Level) -> Called | None:
    """Callee and arguments, as symbols, of the call that a frame is at; None: it is at no call, or they are unknown."""
    if at(level).name not in CALLS:
        return None
    found = table_of(level.code).called(level.offset)
    return found if isinstance(found, Called) else None


def callee_of(level: Level) -> object:
    """What a frame calls; a method of a built-in type is given as it lies in the class."""
    called = called_by(level)
    if called is None:
        return UNKNOWN
    space = space_of_frame(level.frame, level.namespace)
    found = resolve(called.callee, space)
    if found is UNKNOWN and isinstance(called.callee, Attribute):
        owner = resolve(called.callee.base, space)
        method = in_class(type(owner), called.callee.name) if owner is not UNKNOWN else UNKNOWN
        return method if type(method) in _C_FUNCTIONS else UNKNOWN
    return found


def name_called(level: Level) -> str:
    """The last name of what a frame calls, "" where it has none."""
    called = called_by(level)
    return last_name(called.callee) if called is not None else ""


def is_in_c(callee: object) -> bool:
    """Is it surely C code: a built-in function, or a class that is made without code of the program's?"""
    if type(callee) in _C_FUNCTIONS:
        return True
    if not is_class(callee) or in_class(type(callee), "__call__") is not _type_call:
        return False
    makers = (in_class(callee, "__new__"), in_class(callee, "__init__"))
    return not any(type(maker) in (FunctionType, staticmethod) for maker in makers)


def is_another(callee: object, level: Level) -> bool:
    """Is the callee surely a Python function, and not the one whose frame `level` is?"""
    while type(callee) is functools.partial:
        callee = callee.func
    if type(callee) is MethodType:
        callee = callee.__func__
    return type(callee) is FunctionType and original_of(callee.__code__) is not level.code
