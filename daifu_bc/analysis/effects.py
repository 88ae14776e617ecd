"""What each instruction does to the symbolic value stack.

In: an opcode's argument, its index and the stack before it. Out: (the stack before it with owned slots marked,
the stack after it on the straight path, the stack where it jumps).
Always true: `EFFECTS_OF[op]` exists for every opcode of this Python.
"""

from __future__ import annotations

import dis
from collections.abc import Callable

from daifu_bc.analysis import values
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, MAYBE, NEVER, Stack, Value, push
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import BARE, EFFECT, FLOW, ITER_SLOTS, KIND, NAME, OPERATOR

Moved = tuple[Stack, Stack, Stack]
Move = Callable[[int, int, int, Stack, Instructions], Moved]


def _take(stack: Stack, count: int) -> tuple[Stack, tuple[Value, ...]]:
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


def _plain(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Takes its operands, pushes results made from them."""
    count = opcodes.POPS[op]
    rest, operands = _take(stack, opcodes.pops(op, arg) if count is None else count)
    pushed = opcodes.PUSHES[op]
    kind = KIND[op]
    if op == opcodes.BINARY_OP and 13 <= arg <= 25:
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


def _none(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    return stack, stack, stack


def _pop(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    count = opcodes.POPS[op]
    rest, _ = _take(stack, opcodes.pops(op, arg) if count is None else count)
    return stack, rest, rest


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
    rest, operands = _take(stack, opcodes.POPS[op] or 0)
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
    rest, operands = _take(stack, 1)
    kind = values.EXIT if arg & 1 else NAME
    after = push(rest, Value(index, kind, operands, 0, 2))
    after = push(after, Value(index, kind, operands, 1, 2, MAYBE))
    return stack, after, after


def _before_with(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = _take(stack, 1)
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
    rest, _ = _take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg))
    return stack, rest, rest


def _store_other(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = _take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("deref" if op == opcodes.STORE_DEREF else "name", arg))
    return stack, rest, rest


def _store_pair(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = _take(stack, 2)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg >> 4))
        _mark_stored(rest, ("fast", arg & 15))
    return stack, rest, rest


def _store_load(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = _take(stack, 1)
    if rest is not None and rest[2] > rest[3]:
        _mark_stored(rest, ("fast", arg >> 4))
    after = push(rest, Value(index, NAME, variable=("fast", arg & 15)))
    return stack, after, after


def _copy(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
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


def _swap(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, taken = _take(stack, arg)
    moved = [taken[-1], *taken[1:-1], taken[0]]
    after = rest
    for value in moved:
        after = push(after, value)
    return stack, after, after


def _fill(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LIST_APPEND and its like: the container is filled in place."""
    rest, _ = _take(stack, opcodes.POPS[op] or 0)
    below = rest
    for _ in range(arg - 1):
        below = below[1] if below is not None else None
    if below is not None:
        below[0].hold = True
    return stack, rest, rest


def _peek(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Looks at the top slots, leaves them, pushes a result."""
    looked_at = 2 if op == opcodes.MATCH_KEYS else 1
    taken = opcodes.POPS[op] or 0
    _, operands = _take(stack, looked_at + taken)
    stay = stack
    for _ in range(taken):
        stay = stay[1]  # type: ignore[index]
    after = push(stay, Value(index, KIND[op], operands, peeks=looked_at))
    return stack, after, after


def _own_iterator(stack: Stack, index: int) -> Stack:
    rest, old = _take(stack, ITER_SLOTS)
    if old[0].kind == values.ITERATOR:
        return stack
    owned = push(rest, Value(index, values.ITERATOR, old[:1]))
    if ITER_SLOTS == 2:
        owned = push(owned, Value(index, values.ITERATOR, (), 1, 2, ALWAYS))
    return owned


def _for_iter(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    owned = _own_iterator(stack, index)
    return owned, push(owned, Value(index, EFFECT)), push(owned, Value(index, NAME))


def _get_anext(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, old = _take(stack, 1)
    owned = stack if old[0].kind == values.ITERATOR else push(rest, Value(index, values.ITERATOR, old))
    after = push(owned, Value(index, EFFECT))
    return owned, after, after


def _get_iter(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = _take(stack, 1)
    after = push(rest, Value(index, EFFECT, operands, 0, ITER_SLOTS))
    if ITER_SLOTS == 2:
        after = push(after, Value(index, NAME, (), 1, 2, ALWAYS))
    return stack, after, after


def _send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What is sent differs from round to round: a join of its own."""
    rest, _sent = _take(stack, 1)
    sent = Value(index, values.JOIN)
    sent.hold = True
    after = push(rest, Value(index, NAME))  # passed on by YIELD_VALUE or END_SEND, never needed here
    return push(rest, sent), after, after


def _end_send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = _take(stack, ITER_SLOTS + 1)
    after = push(rest, Value(index, EFFECT))
    return stack, after, after


def _yield(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What comes back is there once RESUME, the next instruction, is done: nothing may stand in between."""
    rest, operands = _take(stack, 1)
    after = push(rest, Value(index + 1, EFFECT, operands))
    return stack, after, after


def _push_exc_info(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, handled = _take(stack, 1)
    after = push(push(rest, Value(index, values.PREVIOUS)), handled[0])
    return stack, after, after


def _cleanup_throw(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = _take(stack, opcodes.POPS[op] or 0)
    after = rest
    for out in range(ITER_SLOTS):
        after = push(after, Value(index, EFFECT, (), out, ITER_SLOTS + 1, MAYBE if out else NEVER))
    after = push(after, Value(index, EFFECT, (), ITER_SLOTS, ITER_SLOTS + 1))
    return stack, after, after


def _intrinsic(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = _take(stack, 1)
    kind = OPERATOR if arg in _OPERATOR_INTRINSICS else EFFECT
    after = push(rest, Value(index, kind, operands))
    return stack, after, after


_names: list[str] = list(getattr(dis, "_intrinsic_1_descs", ()))
_OPERATOR_INTRINSICS = frozenset(
    number
    for number, name in enumerate(_names)
    if name in ("INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_ASYNC_GEN_WRAP")
)

_moves: dict[str, Move] = {
    "COPY": _copy, "SWAP": _swap, "PUSH_NULL": _push_null, "END_SEND": _end_send,
    "YIELD_VALUE": _yield,
    "LOAD_FAST": _load_fast, "LOAD_FAST_BORROW": _load_fast, "LOAD_FAST_CHECK": _load_fast,
    "LOAD_FAST_LOAD_FAST": _load_pair, "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _load_pair,
    "LOAD_DEREF": _load_deref, "LOAD_NAME": _load_name, "LOAD_GLOBAL": _load_global,
    "LOAD_ATTR": _load_method, "LOAD_SUPER_ATTR": _load_method, "LOAD_SPECIAL": _load_special,
    "LOAD_FAST_AND_CLEAR": _load_and_clear, "STORE_FAST": _store_fast, "STORE_DEREF": _store_other,
    "STORE_NAME": _store_other, "STORE_GLOBAL": _store_other, "STORE_FAST_STORE_FAST": _store_pair,
    "STORE_FAST_LOAD_FAST": _store_load, "BEFORE_WITH": _before_with, "BEFORE_ASYNC_WITH": _before_with,
    "FOR_ITER": _for_iter, "GET_ANEXT": _get_anext, "GET_ITER": _get_iter, "SEND": _send,
    "PUSH_EXC_INFO": _push_exc_info, "CLEANUP_THROW": _cleanup_throw, "CALL_INTRINSIC_1": _intrinsic,
    "IMPORT_FROM": _peek, "GET_LEN": _peek, "MATCH_MAPPING": _peek, "MATCH_SEQUENCE": _peek,
    "MATCH_KEYS": _peek, "CHECK_EXC_MATCH": _peek, "WITH_EXCEPT_START": _peek,
}  # fmt: skip


def _move_of(op: int) -> Move:
    name = opcodes.OPNAME[op]
    if name in _moves:
        return _moves[name]
    if op in opcodes.FILLS:
        return _fill
    if KIND[op] in (BARE, FLOW) or opcodes.PUSHES[op] == 0:
        if op == opcodes.RETURN_GENERATOR:
            return _plain
        return _pop if opcodes.POPS[op] != 0 else _none
    return _plain


EFFECTS_OF: list[Move] = [_move_of(op) for op in range(256)]
