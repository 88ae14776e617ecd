"""Moves of instructions that read and store variables and attributes.

In: an instruction and the stack before it. Out: `Moved`.
Always true: what is read from a variable that the function can store to names it (`Value.variable`); a value that
waits on the stack while its variable is stored to is marked (`hold`), for it cannot be read again.
"""

from __future__ import annotations

from daifu_bc.analysis.effects_operands import Moved, take
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, EXIT, MAYBE, NEVER, SAVED, Stack, Value, push
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import EFFECT, NAME


def load_fast(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_FAST and its variants: a local variable."""
    after = push(stack, Value(index, NAME, variable=("fast", arg)))
    return stack, after, after


def load_pair(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_FAST_LOAD_FAST and its variants: two local variables."""
    after = push(stack, Value(index, NAME, (), 0, 2, variable=("fast", arg >> 4)))
    after = push(after, Value(index, NAME, (), 1, 2, variable=("fast", arg & 15)))
    return stack, after, after


def load_and_clear(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_FAST_AND_CLEAR: an inlined comprehension puts a name aside, bound or not."""
    after = push(stack, Value(index, SAVED, null=MAYBE))
    return stack, after, after


def load_deref(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_DEREF: a variable that closures share."""
    after = push(stack, Value(index, NAME, variable=("deref", arg)))
    return stack, after, after


def load_name(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_NAME: a variable of a module or class body."""
    after = push(stack, Value(index, NAME, variable=("name", arg)))
    return stack, after, after


def load_global(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LOAD_GLOBAL: a global variable, with a NULL for the call that follows if the lowest bit of `arg` asks for it."""
    variable = ("name", arg >> 1)
    if not arg & 1:
        after = push(stack, Value(index, NAME, variable=variable))
        return stack, after, after
    nulls = (NEVER, ALWAYS) if behavior.null_follows_callable else (ALWAYS, NEVER)
    after = push(stack, Value(index, NAME, (), 0, 2, nulls[0], variable))
    after = push(after, Value(index, NAME, (), 1, 2, nulls[1], variable))
    return stack, after, after


def load_method(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
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


def load_special(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """A special method and its self (or NULL); that of an exit belongs to the `with` from now on."""
    rest, operands = take(stack, 1)
    kind = EXIT if arg & 1 else NAME
    after = push(rest, Value(index, kind, operands, 0, 2))
    after = push(after, Value(index, kind, operands, 1, 2, MAYBE))
    return stack, after, after


def store_fast(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """STORE_FAST: a local variable changes."""
    rest, _ = take(stack, 1)
    if _has_temporaries(rest):
        _mark_stored(rest, ("fast", arg))
    return stack, rest, rest


def store_other(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """STORE_DEREF, STORE_NAME, STORE_GLOBAL: another variable changes."""
    rest, _ = take(stack, 1)
    if _has_temporaries(rest):
        _mark_stored(rest, ("deref" if op == opcodes.STORE_DEREF else "name", arg))
    return stack, rest, rest


def store_pair(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """STORE_FAST_STORE_FAST: two local variables change."""
    rest, _ = take(stack, 2)
    if _has_temporaries(rest):
        _mark_stored(rest, ("fast", arg >> 4))
        _mark_stored(rest, ("fast", arg & 15))
    return stack, rest, rest


def store_load(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """STORE_FAST_LOAD_FAST: a local variable changes, then one is read."""
    rest, _ = take(stack, 1)
    if _has_temporaries(rest):
        _mark_stored(rest, ("fast", arg >> 4))
    after = push(rest, Value(index, NAME, variable=("fast", arg & 15)))
    return stack, after, after


def _has_temporaries(stack: Stack) -> bool:
    """Is there anything above the cells' slots?"""
    return stack is not None and stack[2] > stack[3]


def _mark_stored(stack: Stack, variable: tuple[str, int]) -> None:
    """Values above the cells' slots that were read from `variable` cannot be read again: it changes."""
    while stack is not None and stack[2] > stack[3]:
        _hold_reads(stack[0], variable)
        stack = stack[1]


def _hold_reads(value: Value, variable: tuple[str, int], finished: bool = False) -> None:
    """`finished`: below a call that is done and never runs again, unless its result is dropped on purpose."""
    if value.variable == variable and finished:
        value.stale = True
    elif value.variable == variable:
        value.hold = True
    for operand in value.operands:
        _hold_reads(operand, variable, finished or value.kind == EFFECT)
