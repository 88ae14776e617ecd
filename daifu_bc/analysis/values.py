"""Slots of the value stack, symbolically: what each holds and how it could be made again.

A stack is a linked list of cells (value, below, depth, owned); None is the empty stack. `depth` counts the
slots up to this one; `owned` is the number of lowest slots that belong to a cell of the cell tree (loop
iterators, `with` exits, exception state, saved names of inlined comprehensions) and everything below those.
Always true: owned <= depth; stacks are shared and never changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

# Kinds of values besides those of instructions (NAME, OPERATOR, EFFECT in interpreter.opcodes).
JOIN: Final = 10  # two paths met with different values
ITERATOR: Final = 11  # of a loop that has begun
EXIT: Final = 12  # of a `with`
SAVED: Final = 13  # a name that an inlined comprehension put aside
LASTI: Final = 14  # pushed for a handler
PREVIOUS: Final = 15  # the exception that was handled before (pushed by PUSH_EXC_INFO)
HANDLED: Final = 16  # the exception that a handler received
OWNED_KINDS: Final = frozenset({ITERATOR, EXIT, SAVED, LASTI, PREVIOUS, HANDLED})

NEVER: Final = 0  # a slot is never NULL
MAYBE: Final = 1
ALWAYS: Final = 2


class Value:
    """What one slot holds: output `out` of instruction `index`, made from `operands`."""

    __slots__ = (
        "feeds", "hold", "index", "kept", "kind", "needed", "null", "operands", "out", "outs", "peeks", "slot",
        "stale", "variable",
    )  # fmt: skip

    def __init__(
        self,
        index: int,
        kind: int,
        operands: tuple[Value, ...] = (),
        out: int = 0,
        outs: int = 1,
        null: int = NEVER,
        variable: tuple[str, int] | None = None,
        peeks: int = 0,
    ) -> None:
        self.index = index
        self.kind = kind
        self.operands = operands
        self.out = out
        self.outs = outs
        self.null = null
        self.variable = variable  # what a NAME reads, where the function can store to it
        self.peeks = peeks  # how many of its operands the instruction leaves where they are
        self.hold = False  # cannot be made again: has to be kept if it is needed
        self.stale = False  # read again by what has finished it would be another value
        self.kept = False  # its result is kept in hidden local number `slot`
        self.slot = -1
        self.feeds = False  # a call takes it, or what is made of it, or happens while it waits
        self.needed = False  # an instruction that can raise needs it


Stack = tuple[Value, "Stack", int, int] | None


def push(stack: Stack, value: Value) -> Stack:
    """`stack` with `value` on top."""
    depth = (stack[2] if stack is not None else 0) + 1
    if value.kind > 10:  # an owned kind
        return (value, stack, depth, depth)
    return (value, stack, depth, stack[3] if stack is not None else 0)


def depth_of(stack: Stack) -> int:
    """Number of slots."""
    return stack[2] if stack is not None else 0


def owned_of(stack: Stack) -> int:
    """Number of lowest slots that belong to cells."""
    return stack[3] if stack is not None else 0


def cut(stack: Stack, depth: int) -> Stack:
    """The lowest `depth` slots."""
    while stack is not None and stack[2] > depth:
        stack = stack[1]
    return stack


def top_down(stack: Stack) -> Iterator[Value]:
    """Values from the top."""
    while stack is not None:
        yield stack[0]
        stack = stack[1]


def bottom_up(stack: Stack) -> list[Value]:
    """Values from the bottom."""
    values = list(top_down(stack))
    values.reverse()
    return values
