"""The ways an exception can take through the handlers of one code object, as a graph of decisions.

Made once per code object and handler (handlers_paths), followed once per exception (search_walk).
Always true: a finished graph has no Fork that leads to a Fork; every path ends in Leave, Swallow or Return.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from daifu_bc.crash.handlers_symbols import Name, Symbol


@dataclass(frozen=True, slots=True)
class With:
    """A `with` statement, seen from its handler. `expression` None: the bytecode does not tell."""

    expression: Symbol | None
    target: Name | None  # `as target`
    is_async: bool
    offset: int  # bytes, of the handler


@dataclass(eq=False, slots=True)
class Match:
    """`except types:` or another test of the exception's type; `exact`: with `is`."""

    exception: Symbol | None
    types: Symbol | None
    yes: Node
    no: Node
    exact: bool = False


@dataclass(eq=False, slots=True)
class Empty:
    """Is nothing left of this part of an exception (`except*`)?"""

    part: Symbol
    yes: Node
    no: Node


@dataclass(eq=False, slots=True)
class Manage:
    """What does the context manager of `site` do with the exception?"""

    site: With
    exception: Symbol | None
    yes: Node
    no: Node


@dataclass(eq=False, slots=True)
class Quits:
    """A call that ends the program if `callee` is what its name says (sys.exit and its kind)."""

    callee: Symbol
    yes: Node
    no: Node


@dataclass(eq=False, slots=True)
class If:
    """A decision of the program that only depends on plain locals."""

    condition: Symbol
    yes: Node
    no: Node


@dataclass(eq=False, slots=True)
class Fork:
    """A decision of the program that cannot be foreseen: any of `ways`."""

    ways: list[Node] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Leave:
    """The exception goes out of the frame."""

    exception: Symbol | None


@dataclass(eq=False, slots=True)
class Swallow:
    """The exception ends here. `kind`: "except", "except*", "with", "bare", "finally", ..."""

    kind: str
    types: Symbol | None  # what the clause names
    offset: int  # bytes, of the clause


@dataclass(eq=False, slots=True)
class Return:
    """The walked function returns `value` (functions only, not handlers)."""

    value: Symbol | None


Decision = Match | Empty | Manage | Quits | If
Node = Decision | Fork | Leave | Swallow | Return


def straighten(root: Node) -> Node:
    """`root` with every Fork reduced to the decisions and ends that it can lead to."""
    seen: set[int] = set()
    root = _reduced(root)
    waiting = list(_flat(root))
    while waiting:
        node = waiting.pop()
        if id(node) in seen or not isinstance(node, Decision):
            continue
        seen.add(id(node))
        node.yes = _reduced(node.yes)
        node.no = _reduced(node.no)
        waiting += [*_flat(node.yes), *_flat(node.no)]
    return root


def _flat(node: Node) -> list[Node]:
    return node.ways if isinstance(node, Fork) else [node]


def _reduced(node: Node) -> Node:
    if not isinstance(node, Fork):
        return node
    ways: dict[object, Node] = {}
    for end in _behind(node):
        ways.setdefault(_meaning(end), end)
    return next(iter(ways.values())) if len(ways) == 1 else Fork(list(ways.values()))


def _behind(fork: Fork) -> Iterator[Node]:
    """The first nodes behind `fork` that are no forks; none where it only leads back to itself."""
    seen, waiting = {id(fork)}, [*reversed(fork.ways)]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Fork):
            waiting += reversed(node.ways)
        else:
            yield node


def _meaning(node: Node) -> object:
    """Equal for ends that say the same."""
    match node:
        case Leave(exception):
            return ("leave", exception)
        case Swallow(kind, types, offset):
            return ("swallow", kind, types, offset)
        case Return(value):
            return ("return", value)
    return id(node)
