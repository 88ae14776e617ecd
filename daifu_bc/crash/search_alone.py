"""Exceptions that are left alone wherever they go: they say something, nothing has failed.

In: the exception and the living stack. Out: why it is left alone, in words; None: it may be a crash.
Always true: nothing of the program runs. Where an exception has a meaning only at a certain caller
(AttributeError out of a property, IndexError out of `__getitem__`), every frame up to the root counts. C code takes
it there without a trace: `hasattr`, `list` and its kind, which ask for a length and for items until StopIteration.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from inspect import CO_VARARGS
from types import CodeType, FunctionType
from typing import Final

from daifu_bc.crash.entries import Always
from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.search_callees import CALLS, at, called_by, callee_of, is_another, is_in_c, name_called
from daifu_bc.crash.search_levels import Level, is_always
from daifu_bc.crash.search_names import UNKNOWN, in_class, mro, namespace, space_of_frame
from daifu_bc.interpreter.behavior import GENERATES
from daifu_bc.transform.registry import original_of

_SPECIAL: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (GeneratorExit, "GeneratorExit closes a generator"),
    (KeyboardInterrupt, "KeyboardInterrupt is somebody's wish"),
    (SystemExit, "SystemExit ends the program on purpose"),
    (StopAsyncIteration, "StopAsyncIteration ends an asynchronous iteration"),
)
_ITERATES: Final = frozenset({"__next__", "__anext__", "send", "asend"})
_ATTRIBUTES: Final = frozenset({"__getattr__", "__getattribute__", "__get__", "__set__", "__delete__"})
_ITEMS: Final = frozenset({"__getitem__", "__missing__"})
_LENGTHS: Final = frozenset({"__len__", "__length_hint__"})
# Ask a plain function for items, by way of `iter(function, sentinel)`, `map` and their kind.
_ITERATING: Final = frozenset({
    "CONTAINS_OP", "FOR_ITER", "LIST_EXTEND", "SEND", "SET_UPDATE", "UNPACK_EX", "UNPACK_SEQUENCE",
})  # fmt: skip
_SWALLOWERS: Final[dict[type[Exception], tuple[object, ...]]] = {
    AttributeError: (hasattr, isinstance, issubclass),
    TypeError: (operator.length_hint, bytes, bytearray),
}
_WITH_DEFAULT: Final = 3  # arguments of getattr
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
    if not level.code.co_flags & GENERATES:
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
    if code.co_flags & GENERATES or caller is None:
        return False
    name, callee = at(caller).name, callee_of(caller)
    if name == "CALL_FUNCTION_EX" and (callee is UNKNOWN or is_another(callee, level)):
        return True  # called for an item of `*map(function, items)`
    return name in _ITERATING or is_in_c(callee)


def _misses_attribute(level: Level, caller: Level | None) -> bool:
    if level.code.co_name in _ATTRIBUTES:
        return True
    if caller is not None and (at(caller).name in _READS_ATTRIBUTE or _takes(caller, AttributeError)):
        return True
    return _is_property(level)


def _is_property(level: Level) -> bool:
    owner = _first_argument(level)
    if owner is UNKNOWN:
        return False
    found = in_class(type(owner), level.code.co_name)
    return isinstance(found, property | functools.cached_property) or _is_getter_of(type(owner), level.code)


def _first_argument(level: Level) -> object:
    """The first positional argument, `args[0]` of a wrapper too; UNKNOWN where there is none."""
    code, space = level.code, space_of_frame(level.frame)
    if code.co_argcount:
        return space.local(code.co_varnames[0])
    if not code.co_flags & CO_VARARGS:
        return UNKNOWN
    arguments = space.local(code.co_varnames[code.co_kwonlyargcount])
    return arguments[0] if type(arguments) is tuple and arguments else UNKNOWN


def _is_getter_of(owner: type, code: CodeType) -> bool:
    """Does some property of the class, under whatever name, run this code?"""
    values = (value for cls in mro(owner) for value in namespace(cls).values())
    getters = (value.fget for value in values if isinstance(value, property))
    return any(isinstance(getter, FunctionType) and original_of(getter.__code__) is code for getter in getters)


def _misses_length(level: Level, caller: Level | None) -> bool:
    """TypeError out of `__len__`: whoever only wants a hint (list, tuple, `[*x]`) takes it for "has no length"."""
    if caller is None:
        return False
    if level.code.co_name not in _LENGTHS:
        return _takes(caller, TypeError)
    if at(caller).name in CALLS:
        return not any(callee_of(caller) is one for one in (len, bool)) and name_called(caller) not in _LENGTHS
    return not at(caller).name.startswith(("TO_BOOL", "UNARY_NOT", "POP_JUMP_IF"))


def _takes(caller: Level, meant: type[Exception]) -> bool:
    """Does the caller call C code that swallows such an exception?"""
    called, callee = called_by(caller), callee_of(caller)
    if callee is getattr and meant is AttributeError:
        return called is not None and len(called.arguments) == _WITH_DEFAULT
    return any(callee is one for one in _SWALLOWERS.get(meant, ()))


def _misses_item(level: Level, caller: Level | None) -> bool:
    if level.code.co_name not in _ITEMS:
        return False
    return caller is None or not caller.protected or not _asks_for_item(caller)


def _asks_for_item(caller: Level) -> bool:
    """Does the caller itself ask for the item? Iteration, `in`, list() ask through C, which understands."""
    return at(caller).name in _READS_ITEM or name_called(caller) in _ITEMS


_MEANINGS: Final[tuple[tuple[type[Exception], Callable[[Level, Level | None], bool]], ...]] = (
    (StopIteration, _ends_iteration),
    (AttributeError, _misses_attribute),
    (IndexError, _misses_item),
    (KeyError, _misses_item),
    (TypeError, _misses_length),
)
