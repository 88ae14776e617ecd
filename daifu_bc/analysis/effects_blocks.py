"""Moves of instructions that run loops, `with` blocks, generators and the handling of exceptions.

In: an instruction and the stack before it. Out: `Moved`.
Always true: slots that belong to a block (a loop's iterator, the exit of a `with`, the exception that was handled
before) are of an owned kind from the instruction on that makes them so.
"""

from __future__ import annotations

from daifu_bc.analysis.effects_operands import Moved, take
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, EXIT, ITERATOR, JOIN, MAYBE, NEVER, PREVIOUS, Stack, Value, push
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import EFFECT, ITER_SLOTS, NAME

# Loops.


def get_iter(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """GET_ITER: an iterator, which no loop owns yet."""
    rest, operands = take(stack, 1)
    after = push(rest, Value(index, EFFECT, operands, 0, ITER_SLOTS))
    if ITER_SLOTS == 2:
        after = push(after, Value(index, NAME, (), 1, 2, ALWAYS))
    return stack, after, after


def for_iter(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """FOR_ITER: the iterator belongs to the loop, the next item is on top; at the end a slot that is popped."""
    owned = _own_iterator(stack, index)
    return owned, push(owned, Value(index, EFFECT)), push(owned, Value(index, NAME))


def _own_iterator(stack: Stack, index: int) -> Stack:
    rest, old = take(stack, ITER_SLOTS)
    if old[0].kind == ITERATOR:
        return stack
    owned = push(rest, Value(index, ITERATOR, old[:1]))
    if ITER_SLOTS == 2:
        owned = push(owned, Value(index, ITERATOR, (), 1, 2, ALWAYS))
    return owned


def get_anext(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """GET_ANEXT: the asynchronous iterator belongs to the loop, what to await for its next item is on top."""
    rest, old = take(stack, 1)
    owned = stack if old[0].kind == ITERATOR else push(rest, Value(index, ITERATOR, old))
    after = push(owned, Value(index, EFFECT))
    return owned, after, after


# `with` blocks.


def before_with(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """BEFORE_WITH and BEFORE_ASYNC_WITH: the exit, which belongs to the block, and what entering returned."""
    rest, operands = take(stack, 1)
    after = push(push(rest, Value(index, EXIT, operands, 0, 2)), Value(index, EFFECT, operands, 1, 2))
    return stack, after, after


# Generators and awaiting.


def send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What is sent differs from round to round: a join of its own."""
    rest, _sent = take(stack, 1)
    sent = Value(index, JOIN)
    sent.hold = True
    after = push(rest, Value(index, NAME))  # passed on by YIELD_VALUE or END_SEND, never needed here
    return push(rest, sent), after, after


def end_send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """END_SEND: the result of an await in place of what was awaited."""
    rest, _ = take(stack, ITER_SLOTS + 1)
    after = push(rest, Value(index, EFFECT))
    return stack, after, after


def yield_value(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What comes back is there once RESUME, the next instruction, is done: nothing may stand in between."""
    rest, operands = take(stack, 1)
    after = push(rest, Value(index + 1, EFFECT, operands))
    return stack, after, after


def cleanup_throw(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """CLEANUP_THROW: what END_SEND wants to find, where throwing into the awaited thing ended it."""
    rest, _ = take(stack, opcodes.POPS[op] or 0)
    after = rest
    for out in range(ITER_SLOTS):
        after = push(after, Value(index, EFFECT, (), out, ITER_SLOTS + 1, MAYBE if out else NEVER))
    after = push(after, Value(index, EFFECT, (), ITER_SLOTS, ITER_SLOTS + 1))
    return stack, after, after


# The handling of exceptions.


def push_exc_info(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """PUSH_EXC_INFO: the exception that was handled before comes below the one that is handled now."""
    rest, handled = take(stack, 1)
    after = push(push(rest, Value(index, PREVIOUS)), handled[0])
    return stack, after, after
