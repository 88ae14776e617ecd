"""The choices from which random programs are written, and what may be written where.

In: a source of numbers (Hypothesis draws them, so that failures shrink). Out: choices, fresh names.
Always true: the first option is the simplest (shrinking goes there); with no fuel left only the first options
are taken, so that every program is finite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(slots=True)
class Choices:
    """Where all decisions come from; `fuel` is what is left to spend on nested constructs."""

    draw: Callable[[int], int]  # a number below its argument
    fuel: int
    counter: Any = field(default_factory=lambda: itertools.count(1))

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        return self.draw(limit) if limit > 1 else 0

    def one(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[self.below(len(options))]

    def maybe(self) -> bool:
        """Yes or no; no is simpler."""
        return self.below(2) == 1

    def spend(self, amount: int = 1) -> bool:
        """Whether there was fuel for something nested."""
        self.fuel -= amount
        return self.fuel >= 0

    def name(self, stem: str) -> str:
        """A name that is used nowhere else."""
        return f"{stem}{next(self.counter)}"


@dataclass(frozen=True, slots=True)
class Where:
    """What may be written at a place of the program.

    kind: "def", "gen", "async", "agen", "lambda" or "class"; the names and functions that are bound there.
    """

    kind: str = "def"
    names: tuple[str, ...] = ("a", "b", "c")
    functions: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    coroutines: tuple[str, ...] = ()
    async_generators: tuple[str, ...] = ()
    loop: bool = False
    returns: bool = True  # return may stand here (not in except*; in finally it would swallow)
    raises: bool = True  # raise may stand here (in finally it would hide what the sweep injects)
    handler: bool = False  # a bare raise has something to raise
    walrus: bool = True
    suspends: bool = True  # yield and await are allowed (not in lambdas and nested scopes of expressions)
    broad: bool = False  # handlers may catch what the sweep injects
    depth: int = 0

    def deeper(self, **changes: Any) -> Where:
        """The same place one level further in, with changes."""
        return replace(self, depth=self.depth + 1, **changes)

    @property
    def awaits(self) -> bool:
        """Whether `await` may stand here."""
        return self.kind in ("async", "agen") and self.suspends

    @property
    def yields(self) -> bool:
        """Whether `yield` may stand here as an expression."""
        return self.kind in ("gen", "agen") and self.suspends
