"""What loads and stores of names do to the symbolic value stack.

In and out: as in analysis.effects. Always true: a value that was read from a variable which the statement then
stores to is held: it cannot be read again.
"""

from __future__ import annotations

from collections.abc import Callable

from daifu_bc.analysis import values
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, MAYBE, NEVER, Stack, Value, push
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import EFFECT, NAME

Moved = tuple[Stack, Stack, Stack]
Move = Callable[[int, int, int, Stack, Instructions], Moved]


def take(stack: Stack, count: int) -> tuple[Stack, tuple[Value, ...]]:
    """`stack` without its top `count` slots, and those, lowest first."""
    if count == 0:
        return stack, ()
    if count == 1:
        if stack is None:
            raise CannotProtect("the value stack runs empty")
        return stack[1], (stack[0],)
    taken = []
    for _ in range(count):
        if stack is None:
            raise CannotProtect("the value stack runs empty")
        taken.append(stack[0])
        stack = stack[1]
    taken.reverse()
    return stack, tuple(taken)


def _load_fast(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, NAME, variable=("fast", arg)))
    return stack, after, after


def _load_pair(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, NAME, (), 0, 2, variable=("fast", arg >> 4)))
    after = push(after, Value(index, NAME, (), 1, 2, variable=("fast", arg & 15)))
    return stack, after, after


def _load_deref(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, NAME, variable=("deref", arg)))
    return stack, after, after


def _load_name(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, NAME, variable=("name", arg)))
    return stack, after, after


def _load_global(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    variable = ("name", arg >> 1)
    if not arg & 1:
        after = push(stack, Value(index, NAME, variable=variable))
        return stack, after, after
    nulls = (NEVER, ALWAYS) if behavior.null_follows_callable else (ALWAYS, NEVER)
    after = push(stack, Value(index, NAME, (), 0, 2, nulls[0], variable))
    after = push(after, Value(index, NAME, (), 1, 2, nulls[1], variable))
    return stack, after, after


def _load_method(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_ATTR and LOAD_SUPER_ATTR: an attribute, or a method and its self (or NULL)."""
    rest, operands = take(stack, opcodes.POPS[op] or 0)
    if not arg & 1:
        after = push(rest, Value(index, NAME, operands))
        return stack, after, after
    null = ALWAYS if ins.plain_methods else MAYBE
    nulls = (NEVER, null) if behavior.null_follows_callable else (null, NEVER)
    after = push(rest, Value(index, NAME, operands, 0, 2, nulls[0]))
    after = push(after, Value(index, NAME, operands, 1, 2, nulls[1]))
    return stack, after, after


def _load_special(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """A special method and its self (or NULL); that of an exit belongs to the `with` from now on."""
    rest, operands = take(stack, 1)
    kind = values.EXIT if arg & 1 else NAME
    after = push(rest, Value(index, kind, operands, 0, 2))
    after = push(after, Value(index, kind, operands, 1, 2, MAYBE))
    return stack, after, after


def _before_with(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = take(stack, 1)
    after = push(push(rest, Value(index, values.EXIT, operands, 0, 2)), Value(index, EFFECT, operands, 1, 2))
    return stack, after, after


def _push_null(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, NAME, null=ALWAYS))
    return stack, after, after


def _load_and_clear(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    after = push(stack, Value(index, values.SAVED, null=MAYBE))
    return stack, after, after


def _mark_stored(stack: Stack, variable: tuple[str, int]) -> None:
    """Values above the cells' slots that were read from `variable` cannot be read again: it changes."""
    while stack is not None and stack[2] > stack[3]:
        _hold_reads(stack[0], variable)
        stack = stack[1]


def _hold_reads(value: Value, variable: tuple[str, int]) -> None:
    if value.variable == variable:
        value.hold = True
    for operand in value.operands:
        _hold_reads(operand, variable)


def _store_fast(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg))
    return stack, rest, rest


def _store_other(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("deref" if op == opcodes.STORE_DEREF else "name", arg))
    return stack, rest, rest


def _store_pair(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, 2)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg >> 4))
        _mark_stored(rest, ("fast", arg & 15))
    return stack, rest, rest


def _store_load(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg >> 4))
    after = push(rest, Value(index, NAME, variable=("fast", arg & 15)))
    return stack, after, after


NAME_MOVES: dict[str, Move] = {
    "PUSH_NULL": _push_null, "LOAD_FAST": _load_fast, "LOAD_FAST_BORROW": _load_fast, "LOAD_FAST_CHECK": _load_fast,
    "LOAD_FAST_LOAD_FAST": _load_pair, "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _load_pair,
    "LOAD_DEREF": _load_deref, "LOAD_NAME": _load_name, "LOAD_GLOBAL": _load_global,
    "LOAD_ATTR": _load_method, "LOAD_SUPER_ATTR": _load_method, "LOAD_SPECIAL": _load_special,
    "LOAD_FAST_AND_CLEAR": _load_and_clear, "STORE_FAST": _store_fast, "STORE_DEREF": _store_other,
    "STORE_NAME": _store_other, "STORE_GLOBAL": _store_other, "STORE_FAST_STORE_FAST": _store_pair,
    "STORE_FAST_LOAD_FAST": _store_load, "BEFORE_WITH": _before_with, "BEFORE_ASYNC_WITH": _before_with,
}  # fmt: skip
