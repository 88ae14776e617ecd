"""Where a path through a handler has come to.

Always true: a State is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from daifu_bc.crash.handlers_symbols import Symbol

Names = tuple[tuple[str, Symbol | None], ...]


@dataclass(frozen=True, slots=True)
class Handling:
    """An exception that a handler is busy with (between PUSH_EXC_INFO and POP_EXCEPT), and what caught it."""

    exception: Symbol | None
    kind: str
    types: Symbol | None
    offset: int


@dataclass(frozen=True, slots=True)
class State:
    """Where a path has come to. `names`: what was stored into variables on the way (None: unknown)."""

    offset: int
    stack: tuple[Symbol | None, ...]
    handling: tuple[Handling, ...] = ()
    names: Names = ()

    def to(self, offset: int, stack: tuple[Symbol | None, ...] | None = None) -> State:
        """The same path, gone on to `offset`."""
        return State(offset, self.stack if stack is None else stack, self.handling, self.names)

    def push(self, *symbols: Symbol | None) -> State:
        """With `symbols` pushed."""
        return self.to(self.offset, (*self.stack, *symbols))

    def drop(self, count: int) -> State:
        """With the top `count` slots popped."""
        return self.to(self.offset, self.stack[:-count]) if count else self

    def top(self, position: int = 0) -> Symbol | None:
        """Slot `position` from the top."""
        return self.stack[-1 - position] if position < len(self.stack) else None

    def put(self, position: int, symbol: Symbol | None) -> State:
        """With another symbol in slot `position` from the top."""
        if position >= len(self.stack):
            return self
        index = len(self.stack) - 1 - position
        return self.to(self.offset, (*self.stack[:index], symbol, *self.stack[index + 1 :]))

    def name(self, variable: str, symbol: Symbol | None) -> State:
        """With `symbol` stored into `variable`."""
        kept = tuple(pair for pair in self.names if pair[0] != variable)
        return replace(self, names=tuple(sorted((*kept, (variable, symbol)), key=first)))


def first(pair: tuple[str, Symbol | None]) -> str:
    """For sorting."""
    return pair[0]
