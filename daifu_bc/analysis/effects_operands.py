"""Moves of plain instructions: operands are taken off the symbolic stack, results made from them are pushed.

In: an instruction and the stack before it. Out: `Moved`.
Always true: stacks are not changed, except that a value is marked (`hold`) where it cannot be made again; a stack
that is too short raises CannotProtect (the code is not the compiler's).
"""

from __future__ import annotations

import dis
from collections.abc import Callable

from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, Stack, Value, push
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import EFFECT, KIND, NAME, OPERATOR

# The stack before it with owned slots marked, the stack after it on the straight path, the stack where it jumps.
Moved = tuple[Stack, Stack, Stack]
Move = Callable[[int, int, int, Stack, Instructions], Moved]  # of (op, arg, index, stack before, instructions)


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


def plain(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Takes its operands, pushes results made from them."""
    count = opcodes.POPS[op]
    rest, operands = take(stack, opcodes.pops(op, arg) if count is None else count)
    pushed = opcodes.PUSHES[op]
    kind = KIND[op]
    if op == opcodes.BINARY_OP and opcodes.is_in_place(op, arg):
        kind = EFFECT
    if pushed == 1:
        after = push(rest, Value(index, kind, operands))
        return stack, after, after
    if pushed is None:
        pushed = opcodes.pushes(op, arg)
    after = rest
    for out in range(pushed):
        after = push(after, Value(index, kind, operands, out, pushed))
    return stack, after, after


def none(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Leaves the stack as it is."""
    return stack, stack, stack


def pop(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Takes its operands, pushes nothing."""
    count = opcodes.POPS[op]
    rest, _ = take(stack, opcodes.pops(op, arg) if count is None else count)
    return stack, rest, rest


def copy(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """COPY: the slot at position `arg` from the top (1 = top), once more."""
    below = stack
    for _ in range(arg - 1):
        below = below[1] if below is not None else None
    if below is None:
        raise CannotProtect("the value stack runs empty")
    value = below[0]
    if value.kind == OPERATOR:
        value.hold = True  # made once: a second evaluation would be another object
    after = push(stack, value)
    return stack, after, after


def swap(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """SWAP: the top and the slot at position `arg` from the top change places."""
    rest, taken = take(stack, arg)
    after = rest
    for value in (taken[-1], *taken[1:-1], taken[0]):
        after = push(after, value)
    return stack, after, after


def push_null(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """PUSH_NULL: a slot without a value."""
    after = push(stack, Value(index, NAME, null=ALWAYS))
    return stack, after, after


def fill(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LIST_APPEND and its like: the container, at position `arg`, is filled in place."""
    rest, _ = take(stack, opcodes.POPS[op] or 0)
    below = rest
    for _ in range(arg - 1):
        below = below[1] if below is not None else None
    if below is not None:
        below[0].hold = True
    return stack, rest, rest


def peek(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Looks at the top slots, leaves them, pushes a result."""
    looked_at = 2 if op == opcodes.MATCH_KEYS else 1
    taken = opcodes.POPS[op] or 0
    _, operands = take(stack, looked_at + taken)
    stay = stack
    for _ in range(taken):
        stay = stay[1]  # type: ignore[index]
    after = push(stay, Value(index, KIND[op], operands, peeks=looked_at))
    return stack, after, after


def intrinsic(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """CALL_INTRINSIC_1: an operator or an effect, by its argument."""
    rest, operands = take(stack, 1)
    kind = OPERATOR if arg in _OPERATOR_INTRINSICS else EFFECT
    after = push(rest, Value(index, kind, operands))
    return stack, after, after


_intrinsic_names: list[str] = list(getattr(dis, "_intrinsic_1_descs", ()))
_OPERATOR_INTRINSICS = frozenset(
    number
    for number, name in enumerate(_intrinsic_names)
    if name in ("INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_ASYNC_GEN_WRAP")
)
