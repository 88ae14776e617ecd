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

from daifu_bc.crash.handlers_nodes import Empty, Fork, Leave, Manage, Match, Node, Quits, Swallow, With
from daifu_bc.crash.handlers_symbols import INCOMING, Symbol, text
from daifu_bc.crash.search_flights import Flight, evaluate
from daifu_bc.crash.search_names import Space, matches, narrow, resolve


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a context manager does. `narrow`: it names the exceptions that it takes."""

    swallows: bool
    narrow: bool
    leaves: tuple[Flight, ...]  # what goes on, if anything does


@dataclass(frozen=True, slots=True)
class Caught:
    """Who swallows it. `offset`: bytes, of the clause; `narrow`: it names no class as wide as Exception."""

    what: str
    offset: int
    narrow: bool


@dataclass(slots=True)
class Outcome:
    """`caught` None: `leaves` goes out of the frame. `returns`: of a function that was walked."""

    caught: Caught | None = None
    leaves: list[Flight] = field(default_factory=list)
    returns: list[Symbol | None] = field(default_factory=list)


Manager = Callable[[With, Flight, Space], Verdict]
_QUITS: Final = tuple(
    found
    for owner in (sys, os, builtins)
    for name in ("exit", "quit", "_exit", "abort")
    if (found := getattr(owner, name, None)) is not None
)


def follow(root: Node, flight: Flight, space: Space, manager: Manager, only_narrow: bool = False) -> Outcome:
    """Take every way that `flight` can take from `root`. `only_narrow`: who catches everything does not count."""
    outcome = Outcome()
    waiting: list[tuple[Node, Flight]] = [(root, flight)]
    seen: set[tuple[int, tuple[int, ...]]] = set()
    while waiting:
        node, incoming = waiting.pop()
        match node:
            case Match(exception, types, yes, no):
                matched = matches(evaluate(exception, incoming, space).type, resolve(types, space))
                ways = [yes, no] if matched is None else [yes] if matched else [no]
            case Swallow():
                caught = _caught(node, space)
                if caught.narrow or not only_narrow:
                    outcome.caught = caught
                    return outcome
                continue
            case Leave(exception):
                left = evaluate(exception, incoming, space)
                if left.key not in [known.key for known in outcome.leaves]:
                    outcome.leaves.append(left)
                continue
            case Fork(ways):
                pass
            case Empty(part, yes, no):
                ways = [no] if evaluate(part, incoming, space).leaves else [yes]
            case Quits(callee, yes, no):
                found = resolve(callee, space)
                ways = [yes] if any(found is one for one in _QUITS) else [no]
            case Manage(site, exception, _yes, no):
                came = evaluate(exception, incoming, space)
                verdict = manager(site, came, space)
                if verdict.swallows and (verdict.narrow or not only_narrow):
                    outcome.caught = Caught(_with(site), site.offset, verdict.narrow)
                    return outcome
                for left in verdict.leaves:
                    changed = left if exception == INCOMING else incoming
                    waiting.append((no, changed))
                continue
            case _:
                outcome.returns.append(node.value)
                continue
        for way in ways:
            key = (id(way), incoming.key)
            if key not in seen:
                seen.add(key)
                waiting.append((way, incoming))
    return outcome


def _caught(node: Swallow, space: Space) -> Caught:
    named = node.types is not None and all(map(narrow, _flat(resolve(node.types, space))))
    return Caught(_clause(node), node.offset, named)


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
