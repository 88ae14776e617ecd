"""Flights: exceptions on their way, as far as their types are known.

In: a live exception, or symbols of what handlers make of it (raise another, split a group). Out: Flight.
Always true: a flight with no leaves is no exception at all (all of a group was handled). What becomes of a group may
be in doubt (what a clause takes, what was there before this frame's handler was entered): `settle` gives all ways.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from daifu_bc.crash.handlers_symbols import (
    Called,
    Matched,
    Raised,
    Regrouped,
    Rest,
    Spread,
    Symbol,
)  # fmt: skip
from daifu_bc.crash.search_names import Space, in_class, is_exception_class, issubclass_, matches, resolve

Class = type  # `type` is a field below


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """An exception on its way: its type and those of its leaves (a group's; or its own). None: unknown."""

    type: Class | None
    leaves: tuple[Class | None, ...]

    @property
    def key(self) -> tuple[int, ...]:
        """Equal for flights that are alike; classes are told apart by identity: metaclasses may lie."""
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


Known = tuple[tuple[Symbol, Flight], ...]  # what symbols are, the last word first


def evaluate(symbol: Symbol | None, known: Known, space: Space) -> Flight:
    """What `symbol` is, given the exception that came (and what context managers made of others)."""
    for one, flight in known:
        if one is symbol or one == symbol:
            return flight
    match symbol:
        case Raised(value):
            return _raised(value, space)
        case Matched(exception, types):
            return _taken(evaluate(exception, known, space), resolve(types, space))
        case Rest(exception, types):
            return _left(evaluate(exception, known, space), resolve(types, space))
        case Regrouped(original, parts):
            whole = evaluate(original, known, space)
            return _regrouped(whole, [evaluate(part, known, space) for part in parts])
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
    if not is_exception_class(found):
        return UNKNOWN_FLIGHT
    return UNKNOWN_FLIGHT if issubclass_(found, BaseExceptionGroup) else Flight(found, (found,))


def without(whole: Flight, types: object) -> Flight:
    """What contextlib.suppress leaves of a group."""
    return _left(whole, types)


def is_group(flight: Flight) -> bool:
    """Is it surely a group?"""
    return flight.type is not None and issubclass_(flight.type, BaseExceptionGroup)


def settle(symbol: Symbol | None, known: Known, space: Space) -> list[Known]:
    """`known`, more exactly: each way in which the first doubt about `symbol` can end; [] where there is none."""
    if any(one == symbol for one, _ in known):
        return []
    match symbol:
        case Matched(exception, types) | Rest(exception, types):
            found = settle(exception, known, space)
            ways = [] if found else _splits(symbol, evaluate(exception, known, space), resolve(types, space))
        case Regrouped(original, parts):
            found = next(filter(None, (settle(part, known, space) for part in (original, *parts))), [])
            ways = [] if found else _unions(symbol, known, space)
        case _:
            return []
    return found or [((symbol, flight), *known) for flight in ways]


def _splits(part: Matched | Rest, whole: Flight, types: object) -> list[Flight]:
    """What a part of `whole` is if leaves of which it cannot be told belong to it, and if they do not."""
    answers = [matches(leaf, types) for leaf in whole.leaves]
    if None not in answers:
        return []
    wanted = type(part) is Matched
    pairs = list(zip(whole.leaves, answers, strict=True))
    return [
        Flight(ExceptionGroup, tuple(leaf for leaf, answer in pairs if answer in accepted))
        for accepted in ((wanted, None), (wanted,))
    ]


def _unions(group: Regrouped, known: Known, space: Space) -> list[Flight]:
    """What goes on behind `except*` if parts of which nothing is known are there, and if they are not.

    An exception in a clause meets such parts: what earlier clauses raised, and what no clause has taken.
    """
    parts = [part for part in group.parts if part is not None and not isinstance(part, Spread)]
    if len(parts) == len(group.parts):
        return []
    there = evaluate(Regrouped(group.original, tuple(parts)), known, space)
    more = Flight(ExceptionGroup, _one_unknown((*there.leaves, None))) if there.leaves else UNKNOWN_FLIGHT
    return [there, more]


def _one_unknown(leaves: Iterable[Class | None]) -> tuple[Class | None, ...]:
    """`leaves` with one that is not known for any number of them: they are settled together."""
    found = list(leaves)
    known = [leaf for leaf in found if leaf is not None]
    return (*known, None) if len(known) < len(found) else tuple(known)


def _taken(whole: Flight, types: object) -> Flight:
    """What `except* types` takes of `whole`, as a group; in doubt it takes a leaf."""
    leaves = tuple(leaf for leaf in whole.leaves if matches(leaf, types) is not False)
    return whole if is_group(whole) and len(leaves) == len(whole.leaves) else Flight(ExceptionGroup, leaves)


def _left(whole: Flight, types: object) -> Flight:
    """What `except* types` leaves of `whole`."""
    leaves = tuple(leaf for leaf in whole.leaves if matches(leaf, types) is False)
    return whole if len(leaves) == len(whole.leaves) else Flight(ExceptionGroup, leaves)


def _regrouped(whole: Flight, parts: list[Flight]) -> Flight:
    """What goes on behind `except*`: what no clause took, and what clauses raised, in a group."""
    some = [part for part in parts if part.leaves]
    if len(some) == 1:
        return some[0]  # a single exception is not put in a group
    leaves = _one_unknown(leaf for part in some for leaf in part.leaves)
    same = len(leaves) == len(whole.leaves) and all(map(operator.is_, leaves, whole.leaves))
    return whole if same else Flight(ExceptionGroup, leaves)
