"""An exception's way through the handlers of one frame.

In: a graph (handlers), a flight, the frame's variables. Out: who swallows it, or what goes out of the frame.
Always true: where a decision cannot be told, both ways are taken; one that swallows is enough.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from daifu_bc.crash.handlers_nodes import (
    Empty,
    Fork,
    If,
    Leave,
    Manage,
    Match,
    Node,
    Quits,
    Return,
    Swallow,
    With,
)
from daifu_bc.crash.handlers_symbols import INCOMING, Matched, Regrouped, Rest, Symbol, text
from daifu_bc.crash.search_conditions import truth
from daifu_bc.crash.search_flights import Flight, Known, evaluate, settle
from daifu_bc.crash.search_names import Space, is_exactly, matches, narrow, resolve


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a context manager does. `narrow`: it names the exceptions that it takes."""

    swallows: bool
    narrow: bool
    leaves: tuple[Flight, ...]  # what goes on, if anything does


@dataclass(frozen=True, slots=True)
class Caught:
    """Who swallows it; `narrow`: it names no class as wide as Exception."""

    by: Swallow | With
    narrow: bool

    @property
    def what(self) -> str:
        """In words."""
        return _clause(self.by) if isinstance(self.by, Swallow) else _with(self.by)


@dataclass(slots=True)
class Outcome:
    """`caught` None: `leaves` goes out of the frame. `returns`: of a function that was walked."""

    caught: Caught | None = None
    leaves: list[Flight] = field(default_factory=list)
    returns: list[Symbol | None] = field(default_factory=list)


_MOST_DOUBTS: Final = 200  # each is followed both ways: beyond that the exception counts as handled
Manager = Callable[[With, Flight, Space], Verdict]
_QUITS: Final = tuple(
    found
    for owner in (sys, os, builtins)
    for name in ("exit", "quit", "_exit", "abort")
    if (found := getattr(owner, name, None)) is not None
)


def follow(root: Node, flight: Flight, space: Space, manager: Manager, only_narrow: bool = False) -> Outcome:
    """Take every way of `flight` from `root`. `only_narrow`: who catches everything does not count."""
    outcome = Outcome()
    walk = _Walk(space, manager, only_narrow, outcome)
    doubts = 0
    waiting: list[tuple[Node, Known]] = [(root, ((INCOMING, flight),))]
    while waiting and outcome.caught is None:
        node, known = waiting.pop()
        ways = _settled(node, known, space)
        doubts += len(ways)
        if doubts > _MOST_DOUBTS:
            outcome.caught = Caught(Swallow("except* with too many doubts", None, 0), narrow=False)
        elif ways:
            waiting += ((node, way) for way in ways)
        elif type(node) is Match:
            compare = is_exactly if node.exact else matches
            matched = compare(evaluate(node.exception, known, space).type, resolve(node.types, space))
            if matched is None:
                waiting += ((node.no, known), (node.yes, known))
            else:
                waiting.append((node.yes if matched else node.no, known))
        elif type(node) is Swallow:
            walk.swallow(node)
        elif type(node) is Leave:
            walk.leave(node, known)
        elif walk.is_new(node, known):
            waiting += walk.others(node, known)
    return outcome


def _settled(node: Node, known: Known, space: Space) -> list[Known]:
    """The ways in which a doubt about the group that `node` decides about can end."""
    if type(node) is Empty:
        return settle(node.part, known, space)
    if isinstance(node, Match | Leave | Manage) and isinstance(node.exception, Matched | Rest | Regrouped):
        return settle(node.exception, known, space)
    return []


class _Walk:
    """The rarer nodes."""

    __slots__ = ("_manager", "_only_narrow", "_outcome", "_seen", "_space")

    def __init__(self, space: Space, manager: Manager, only_narrow: bool, outcome: Outcome) -> None:
        self._space = space
        self._manager = manager
        self._only_narrow = only_narrow
        self._outcome = outcome
        self._seen: set[object] = set()

    def is_new(self, node: Node, known: Known) -> bool:
        """Was it not here before? Handlers that loop do so through a Fork, or raise through a Manage."""
        key = (id(node), tuple((symbol, flight.key) for symbol, flight in known))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def swallow(self, node: Swallow) -> None:
        """The exception ends here, if that counts."""
        narrow_ = False
        if self._only_narrow:
            narrow_ = node.types is not None and all(map(narrow, _flat(resolve(node.types, self._space))))
        if narrow_ or not self._only_narrow:
            self._outcome.caught = Caught(node, narrow_)

    def leave(self, node: Leave, known: Known) -> None:
        """It goes out."""
        left = evaluate(node.exception, known, self._space)
        if left.key not in [one.key for one in self._outcome.leaves]:
            self._outcome.leaves.append(left)

    def others(self, node: Node, known: Known) -> list[tuple[Node, Known]]:
        """Where it goes on from another node."""
        match node:
            case Fork(ways):
                return [(way, known) for way in ways]
            case Empty(part, yes, no):
                return [(no if evaluate(part, known, self._space).leaves else yes, known)]
            case Quits(callee, yes, no):
                found = resolve(callee, self._space)
                return [(yes if any(found is one for one in _QUITS) else no, known)]
            case If(condition, yes, no):
                told = truth(condition, self._space)
                return [(way, known) for way, answer in ((yes, True), (no, False)) if told in (None, answer)]
            case Manage():
                return self._manage(node, known)
            case Return(value):
                self._outcome.returns.append(value)
        return []

    def _manage(self, node: Manage, known: Known) -> list[tuple[Node, Known]]:
        came = evaluate(node.exception, known, self._space)
        verdict = self._manager(node.site, came, self._space)
        if verdict.swallows and (verdict.narrow or not self._only_narrow):
            self._outcome.caught = Caught(node.site, verdict.narrow)
            return []
        return [(node.no, _changed(known, node.exception, came, left)) for left in verdict.leaves]


def _changed(known: Known, symbol: Symbol | None, came: Flight, left: Flight) -> Known:
    """What is known after a context manager let `left` go on in place of `came`."""
    if left is came or symbol is None:
        return known
    return ((symbol, left), *(pair for pair in known if pair[0] != symbol))


def _flat(types: object) -> tuple[object, ...]:
    return types if type(types) is tuple and types else (types,)


def _clause(node: Swallow) -> str:
    if node.kind in ("except", "except*"):
        named = node.types
        if node.kind == "except*" and named is not None and hasattr(named, "items"):
            return f"except* {', '.join(map(text, named.items))}"
        return f"{node.kind} {text(named)}"
    return {
        "bare": "except",
        "finally": "finally that leaves by return, break or continue",
    }.get(node.kind, node.kind)


def _with(site: With) -> str:
    kind = "async with" if site.is_async else "with"
    return f"{kind} {text(site.expression)}" if site.expression is not None else kind
