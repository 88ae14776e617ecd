"""Exceptions that are left alone wherever they go: they say something, nothing has failed.

In: the exception and the living stack. Out: why it is left alone, in words; None: it may be a crash.
Always true: nothing of the program runs. Where an exception has a meaning only at a certain caller
(AttributeError out of a property, IndexError out of `__getitem__`), every frame up to the root counts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType, FunctionType
from typing import Final

from daifu_bc.crash.entries import Always
from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.handlers_reading import Instruction
from daifu_bc.crash.handlers_symbols import Called, last_name
from daifu_bc.crash.search_levels import Level, is_always
from daifu_bc.crash.search_names import UNKNOWN, in_class, space_of_frame
from daifu_bc.transform.registry import original_of

_GENERATES: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_SPECIAL: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (GeneratorExit, "GeneratorExit closes a generator"),
    (KeyboardInterrupt, "KeyboardInterrupt is somebody's wish"),
    (SystemExit, "SystemExit ends the program on purpose"),
    (StopAsyncIteration, "StopAsyncIteration ends an asynchronous iteration"),
)
_ITERATES: Final = frozenset({"__next__", "__anext__", "send", "asend"})
_ATTRIBUTES: Final = frozenset({"__getattr__", "__getattribute__", "__get__", "__set__", "__delete__"})
_ITEMS: Final = frozenset({"__getitem__", "__missing__"})
_READS_ATTRIBUTE: Final = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR", "STORE_ATTR", "DELETE_ATTR"})
_READS_ITEM: Final = frozenset({"BINARY_SUBSCR", "BINARY_OP", "BINARY_SLICE"})


def left_alone(exception: BaseException, levels: Sequence[Level], always: Always = ()) -> str | None:
    """Why `exception` is no crash, whoever may catch it; None: it may be one."""
    if is_always(exception, always):
        return None
    kind = type(exception)
    for special, why in _SPECIAL:
        if issubclass(kind, special):
            return why
    if not issubclass(kind, Exception):
        return _no_error(kind)
    if levels and _thrown_in(levels[0]):
        return "it was thrown into a generator or coroutine from outside"
    for meant, means in _MEANINGS:
        if issubclass(kind, meant):
            found = _out_of(levels, means)
            if found is not None:
                return f"{kind.__name__} out of {found} has a meaning"
    return None


def _no_error(kind: type) -> str:
    if kind.__name__ == "CancelledError":
        return "CancelledError cancels a task"
    return f"{kind.__name__} is no Exception"


def _thrown_in(level: Level) -> bool:
    """Does the frame wait at a yield or await, or has it not begun? Then nothing in it can have failed."""
    if not level.code.co_flags & _GENERATES:
        return False
    reader = table_of(level.code).reader
    name = reader.at(level.offset).name
    if name == "POP_TOP":  # behind RETURN_GENERATOR: thrown into before it began
        return level.offset >= 2 and reader.at(level.offset - 2).name == "RETURN_GENERATOR"
    return name in ("YIELD_VALUE", "RETURN_GENERATOR") or reader.resumes(level.offset)


def _out_of(levels: Sequence[Level], means: Callable[[Level, Level | None], bool]) -> str | None:
    """The first frame up to the root for which the exception has a meaning."""
    for index, level in enumerate(levels):
        if not level.inside:
            return None
        if means(level, levels[index + 1] if index + 1 < len(levels) else None):
            return level.code.co_name
    return None


def _ends_iteration(level: Level, caller: Level | None) -> bool:
    code = level.code
    if code.co_name in _ITERATES or code.co_name == "<genexpr>":
        return True
    return not code.co_flags & _GENERATES and caller is not None and _at(caller).name == "FOR_ITER"


def _misses_attribute(level: Level, caller: Level | None) -> bool:
    if level.code.co_name in _ATTRIBUTES:
        return True
    if caller is not None and _at(caller).name in _READS_ATTRIBUTE:
        return True
    return _is_property(level)


def _is_property(level: Level) -> bool:
    code = level.code
    if code.co_argcount != 1:
        return False
    owner = space_of_frame(level.frame).local(code.co_varnames[0])
    if owner is UNKNOWN:
        return False
    found = in_class(type(owner), code.co_name)
    return isinstance(found, property | functools.cached_property) or _is_getter_of(type(owner), code)


def _is_getter_of(owner: type, code: CodeType) -> bool:
    """Does some property of the class, under whatever name, run this code?"""
    getters = (value.fget for cls in owner.__mro__ for value in vars(cls).values() if isinstance(value, property))
    return any(isinstance(getter, FunctionType) and original_of(getter.__code__) is code for getter in getters)


def _misses_item(level: Level, caller: Level | None) -> bool:
    if level.code.co_name not in _ITEMS:
        return False
    return caller is None or not caller.protected or not _asks_for_item(caller)


def _asks_for_item(caller: Level) -> bool:
    """Does the caller itself ask for the item? Iteration, `in`, list() ask through C, which understands."""
    step = _at(caller)
    if step.name in _READS_ITEM:
        return True
    if step.name not in ("CALL", "CALL_KW", "CALL_FUNCTION_EX"):
        return False
    result = table_of(caller.code).called(caller.offset)
    return isinstance(result, Called) and last_name(result.callee) in _ITEMS


def _at(level: Level) -> Instruction:
    return table_of(level.code).reader.at(level.offset)


_MEANINGS: Final[tuple[tuple[type[Exception], Callable[[Level, Level | None], bool]], ...]] = (
    (StopIteration, _ends_iteration),
    (AttributeError, _misses_attribute),
    (IndexError, _misses_item),
    (KeyError, _misses_item),
)
