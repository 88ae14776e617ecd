"""Flights: exceptions on their way, as far as their types are known.

In: a live exception, or symbols of what handlers make of it (raise another, split a group). Out: Flight.
Always true: a flight with no leaves is no exception at all (all of a group was handled).
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Final

from daifu_bc.crash.handlers_symbols import (
    Called, Incoming, Matched, Raised, Regrouped, Rest, Symbol,
)  # fmt: skip
from daifu_bc.crash.search_names import Space, in_class, is_exception_class, matches, resolve


Class = type  # `type` is a field below


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """An exception on its way: its type and those of its leaves (its own where it is no group); None: not known."""

    type: Class | None
    leaves: tuple[Class | None, ...]

    @property
    def key(self) -> tuple[int, ...]:
        """Equal for flights that are alike; classes are told apart by identity, whatever their metaclass says."""
        return (id(self.type), *map(id, self.leaves))


_type_call: Final = type.__dict__["__call__"]
UNKNOWN_FLIGHT: Final = Flight(None, (None,))


def flight_of(exception: BaseException) -> Flight:
    """The flight of a live exception."""
    kind = type(exception)
    return Flight(kind, tuple(_leaves(exception)) if issubclass(kind, BaseExceptionGroup) else (kind,))


def _leaves(exception: BaseException) -> list[type]:
    found: list[type] = []
    waiting = [exception]
    while waiting:
        one = waiting.pop()
        if issubclass(type(one), BaseExceptionGroup):
            waiting += BaseExceptionGroup.exceptions.__get__(one)
        else:
            found.append(type(one))
    return found


def evaluate(symbol: Symbol | None, incoming: Flight, space: Space) -> Flight:
    """What `symbol` is if `incoming` is the exception that came."""
    match symbol:
        case Incoming():
            return incoming
        case Raised(value):
            return _raised(value, space)
        case Matched(exception, types):
            return _part(evaluate(exception, incoming, space), resolve(types, space), taken=True)
        case Rest(exception, types):
            return _part(evaluate(exception, incoming, space), resolve(types, space), taken=False)
        case Regrouped(original, parts):
            whole = evaluate(original, incoming, space)
            leaves = tuple(leaf for part in parts for leaf in evaluate(part, incoming, space).leaves)
            return _regrouped(whole, leaves)
    return UNKNOWN_FLIGHT


def _raised(value: Symbol | None, space: Space) -> Flight:
    if not isinstance(value, Called):
        found = resolve(value, space)
        return _of_type(found if is_exception_class(found) else type(found))
    found = resolve(value.callee, space)
    if found is OSError and len(value.arguments) > 1:
        return UNKNOWN_FLIGHT  # the error number chooses a subclass
    plain = in_class(type(found), "__call__") is _type_call
    return _of_type(found) if plain else UNKNOWN_FLIGHT


def _of_type(found: object) -> Flight:
    if not is_exception_class(found) or type.__subclasscheck__(BaseExceptionGroup, found):  # type: ignore[arg-type]
        return UNKNOWN_FLIGHT
    return Flight(found, (found,))  # type: ignore[arg-type]


def _part(whole: Flight, types: object, taken: bool) -> Flight:
    """What `except* types` takes of `whole`, or leaves; in doubt it takes a leaf."""
    leaves = tuple(leaf for leaf in whole.leaves if (matches(leaf, types) is not False) == taken)
    return _regrouped(whole, leaves)


def _regrouped(whole: Flight, leaves: tuple[type | None, ...]) -> Flight:
    same = len(leaves) == len(whole.leaves) and all(map(operator.is_, leaves, whole.leaves))
    return whole if same else Flight(ExceptionGroup, leaves)
