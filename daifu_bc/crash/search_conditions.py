"""Conditions of a handler that can be told beforehand: `if strict: raise`, `finally: if number == last: break`.

In: a condition as a symbol, the variables of the frame. Out: is it true; None: it cannot be told.
Always true: nothing of the program runs; only plain locals count (nobody but the handler itself changes them, and what
it stores is no longer a Name), and only values that never change: numbers, texts, None, objects that are always true.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from daifu_bc.crash.handlers_symbols import Compared, Symbol
from daifu_bc.crash.search_names import UNKNOWN, Space, in_class, resolve

_PLAIN: Final = frozenset({type(None), bool, int, float, complex, str, bytes})
_OPERATORS: Final[dict[str, Callable[[Any, Any], object]]] = {
    "is": operator.is_, "is not": operator.is_not, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda one, many: one in many, "not in": lambda one, many: one not in many,
}  # fmt: skip
_OF_ANYTHING: Final = frozenset({"is", "is not"})


def truth(condition: Symbol, space: Space) -> bool | None:
    """Is the condition true?"""
    if isinstance(condition, Compared):
        return _compare(condition.operator, resolve(condition.left, space), resolve(condition.right, space))
    value = resolve(condition, space)
    if value is UNKNOWN:
        return None
    if _is_plain(value):
        return bool(value)
    tests = (in_class(type(value), name) for name in ("__bool__", "__len__"))
    return True if all(test is UNKNOWN for test in tests) else None


def _compare(sign: str, left: object, right: object) -> bool | None:
    if left is UNKNOWN or right is UNKNOWN:
        return None
    if sign not in _OF_ANYTHING and not (_is_plain(left) and _is_plain(right)):
        return None
    try:
        return bool(_OPERATORS[sign](left, right))
    except TypeError:  # `None < 1`: the handler will fail there
        return None


def _is_plain(value: object) -> bool:
    return type(value) in _PLAIN or (type(value) in (tuple, frozenset) and all(map(_is_plain, value)))  # type: ignore[call-overload]
