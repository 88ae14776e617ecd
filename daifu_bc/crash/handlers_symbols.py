"""Symbols: what a slot of the value stack holds, as far as bytecode alone tells.

In: what the walk over a handler's instructions meets. Out: values that can be looked up in a frame later
(search_names), once an exception is there. None stands for a slot that nothing is known of.
Always true: symbols are hashable, hold no frame, and are the same for every exception that comes by.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Final


@dataclass(frozen=True, slots=True)
class Name:
    """A variable. `scope`: "local" (fast locals and cells), "global", or "name" (namespace, then globals)."""

    scope: str
    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`base.name`."""

    base: Symbol
    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant; its type keeps 1, 1.0 and True apart."""

    value: object
    type: type


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple that was just built, or a list that becomes one."""

    items: tuple[Symbol | None, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """`*inner` inside a TupleOf."""

    inner: Symbol | None


@dataclass(frozen=True, slots=True)
class Called:
    """The result of a call; `arguments` are the positional ones as far as they are known."""

    callee: Symbol
    arguments: tuple[Symbol | None, ...]


@dataclass(frozen=True, slots=True)
class SuperAttribute:
    """`super().name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Argument:
    """Positional argument of the function that is walked: 0 is self, 1 to 3 are an `__exit__`'s others."""

    index: int


@dataclass(frozen=True, slots=True)
class Null:
    """The empty half of a call's scaffolding."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """The exception whose way is followed."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What `raise value` makes of it: value is a class, a call of a class, or an instance."""

    value: Symbol | None


@dataclass(frozen=True, slots=True)
class Matched:
    """The part of `exception` that `except* types` takes; None at run time where nothing matches."""

    exception: Symbol | None
    types: Symbol | None


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of `exception` that `except* types` leaves."""

    exception: Symbol | None
    types: Symbol | None


@dataclass(frozen=True, slots=True)
class Regrouped:
    """What is raised at the end of a `try` with `except*`; None at run time where all was handled."""

    original: Symbol | None
    parts: tuple[Symbol | None, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """True where the type of `exception` is one of `types`; `exact`: is `types` itself, no subclass of it."""

    exception: Symbol | None
    types: Symbol | None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Negated:
    """`not inner`."""

    inner: Symbol


@dataclass(frozen=True, slots=True)
class Compared:
    """`left operator right`: "is", "==", "in" and their kind."""

    operator: str
    left: Symbol | None
    right: Symbol | None


@dataclass(frozen=True, slots=True)
class WithResult:
    """What the `__exit__` of a `with` returned; `site` is the handler's offset in bytes."""

    site: int
    exception: Symbol | None


Symbol = (
    Name | Attribute | Constant | TupleOf | Spread | Called | SuperAttribute | Argument | Null
    | Incoming | Raised | Matched | Rest | Regrouped | Test | Negated | Compared | WithResult
)  # fmt: skip

NULL: Final = Null()
INCOMING: Final = Incoming()
NOTHING: Final = Constant(None, type(None))
EXCEPTIONS: Final = (Incoming, Raised, Matched, Rest, Regrouped)


def constant(value: object) -> Constant:
    """The symbol of a constant."""
    return Constant(value, type(value))


def last_name(symbol: Symbol | None) -> str:
    """The name that a variable or attribute ends in, "" for anything else."""
    return symbol.name if isinstance(symbol, Name | Attribute | SuperAttribute) else ""


def can_be_told(condition: Symbol | None, code: CodeType) -> bool:
    """Is it made of nothing but plain locals of `code` and constants?"""
    match condition:
        case Name("local", name):
            return name in code.co_varnames and name not in code.co_cellvars
        case Compared(_, left, right):
            return can_be_told(left, code) and can_be_told(right, code)
    return isinstance(condition, Constant)


def text(symbol: Symbol | None) -> str:
    """`symbol` as it reads in source."""
    match symbol:
        case Name(_, name):
            return name
        case Attribute(base, name):
            return f"{text(base)}.{name}"
        case Constant(value, _):
            return value.__name__ if isinstance(value, type) else repr(value)
        case TupleOf((only,)):
            return f"({text(only)},)"
        case TupleOf(items):
            return f"({', '.join(map(text, items))})"
        case Spread(inner):
            return f"*{text(inner)}"
        case Called(callee, arguments):
            return f"{text(callee)}({', '.join(map(text, arguments))})"
    return "..."
