"""Frames that the interpreter calls by itself, and whose exceptions it prints and forgets: nothing dies of them.

In: the living stack. Out: whose frame it is, in words; None: an exception in it goes on to a caller.
These are finalizers (`__del__`, closed generators), callbacks of weak references and of the collector, hooks of
`sys` and `threading`, callbacks of ctypes, functions around a fork.
Always true: nothing of the program runs. What such a function calls counts as well; an explicit call of one does not.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from collections.abc import Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FunctionType, MethodType
from typing import Final

from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.search_callees import at, callee_of, name_called
from daifu_bc.crash.search_levels import Level
from daifu_bc.crash.search_names import UNKNOWN, is_class, issubclass_, space_of_frame
from daifu_bc.crash.signal_handlers import codes_of_handlers
from daifu_bc.transform.registry import original_of

# Instructions that call no code by themselves: a frame inside one of them is a finalizer's, a callback's, a signal's.
_CALL_NOTHING: Final = frozenset({
    "DELETE_DEREF", "DELETE_FAST", "DELETE_GLOBAL", "END_FOR", "END_SEND", "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_FORWARD", "NOP", "POP_EXCEPT", "POP_ITER", "POP_TOP", "RESUME",
    "RETURN_CONST", "RETURN_VALUE", "STORE_DEREF", "STORE_FAST", "STORE_FAST_LOAD_FAST",
    "STORE_FAST_STORE_FAST", "STORE_GLOBAL",
})  # fmt: skip
_IN_NAMESPACES: Final = frozenset({"DELETE_NAME", "STORE_NAME"})
_FORKS: Final = tuple(getattr(os, name) for name in ("fork", "forkpty") if hasattr(os, name))
_CLOSE: Final = frozenset({"close", "aclose", "throw", "athrow"})
_GENERATES: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_MOST: Final = 20  # exceptions behind one another that are looked at
_HOOKS: Final = ((sys, "unraisablehook"), (sys, "excepthook"), (threading, "excepthook"))


def unheard(exception: BaseException, levels: Sequence[Level]) -> str | None:
    """The first frame up to the root whose exceptions nobody hears of."""
    hooks = _codes_of_hooks()
    if _while_closing(exception) and _is_closed_by_nobody(levels):
        return "a generator that nobody needs any more"
    for index, level in enumerate(levels):
        if not level.inside:
            return None
        if id(level.code) in hooks:
            return "a hook of the interpreter"
        caller = levels[index + 1] if index + 1 < len(levels) else None
        found = _kind(level, caller)
        if found is not None:
            return found
    return None


def _kind(level: Level, caller: Level | None) -> str | None:
    if level.code.co_name == "__del__":
        return None if caller is not None and name_called(caller) == "__del__" else "a finalizer"
    if _has_dead_reference(level) and not (caller is not None and name_called(caller) == level.code.co_name):
        return "a callback of a weak reference"
    if caller is None:
        return None
    if _calls_nothing(caller):
        return None if level.frame.f_code in codes_of_handlers() else "a finalizer"
    callee = callee_of(caller)
    if callee is UNKNOWN:
        return None
    if any(callee is fork for fork in _FORKS):
        return "a function around a fork"
    return "a callback of ctypes" if _is_foreign_function(callee) else None


def _calls_nothing(caller: Level) -> bool:
    if table_of(caller.code).reader.resumes(caller.offset):
        return False  # `throw` has been passed on to the generator that this one waits for
    name = at(caller).name
    return name in _CALL_NOTHING or (name in _IN_NAMESPACES and caller.code.co_name == "<module>")


def _while_closing(exception: BaseException) -> bool:
    """Was it raised where a GeneratorExit was handled?"""
    one = exception.__context__
    for _ in range(_MOST):
        if one is None:
            return False
        if isinstance(one, GeneratorExit):
            return True
        one = one.__context__
    return False


def _is_closed_by_nobody(levels: Sequence[Level]) -> bool:
    """Is the innermost generator finished by the interpreter, not by a call of `close`?"""
    number = next((number for number, level in enumerate(levels) if level.code.co_flags & _GENERATES), None)
    if number is None or not levels[number].inside:
        return False
    outside = levels[number + 1 :]
    if outside and at(outside[0]).name in ("SEND", "YIELD_VALUE", "RESUME"):
        return False  # `await generator.aclose()`
    return not outside or name_called(outside[0]) not in _CLOSE


def _has_dead_reference(level: Level) -> bool:
    """Is its first argument, or the second of `weakref.finalize`, a weak reference whose object is gone?"""
    code = level.code
    number = int(code.co_qualname == "finalize.__call__" and level.frame.f_globals is vars(weakref))
    if code.co_argcount <= number:
        return False
    first = space_of_frame(level.frame).local(code.co_varnames[number])
    return issubclass_(type(first), weakref.ref) and weakref.ref.__call__(first) is None  # type: ignore[arg-type]


def _codes_of_hooks() -> set[int]:
    """Identities of the code of the collector's callbacks and of the hooks that report exceptions."""
    hooks = [*gc.callbacks, *(getattr(owner, name, None) for owner, name in _HOOKS)]
    functions = (hook.__func__ if type(hook) is MethodType else hook for hook in hooks)
    return {id(original_of(function.__code__)) for function in functions if type(function) is FunctionType}


def _is_foreign_function(callee: object) -> bool:
    ctypes = sys.modules.get("_ctypes")
    foreign = getattr(ctypes, "CFuncPtr", None)
    return is_class(foreign) and issubclass_(type(callee), foreign)
