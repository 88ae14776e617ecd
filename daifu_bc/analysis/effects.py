"""What each instruction does to the symbolic value stack.

In: an opcode's argument, its index and the stack before it. Out: (the stack before it with owned slots marked,
the stack after it on the straight path, the stack where it jumps).
Always true: `EFFECTS_OF[op]` exists for every opcode of this Python.
"""

from __future__ import annotations

import dis

from daifu_bc.analysis import values
from daifu_bc.analysis.effects_names import NAME_MOVES, Move, Moved, take
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, MAYBE, NEVER, Stack, Value, push
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import BARE, EFFECT, FLOW, ITER_SLOTS, KIND, NAME, OPERATOR


def _plain(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """Takes its operands, pushes results made from them."""
    count = opcodes.POPS[op]
    rest, operands = take(stack, opcodes.pops(op, arg) if count is None else count)
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
    rest, _ = take(stack, opcodes.pops(op, arg) if count is None else count)
    return stack, rest, rest


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
    rest, taken = take(stack, arg)
    moved = [taken[-1], *taken[1:-1], taken[0]]
    after = rest
    for value in moved:
        after = push(after, value)
    return stack, after, after


def _fill(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """LIST_APPEND and its like: the container is filled in place."""
    rest, _ = take(stack, opcodes.POPS[op] or 0)
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
    _, operands = take(stack, looked_at + taken)
    stay = stack
    for _ in range(taken):
        stay = stay[1]  # type: ignore[index]
    after = push(stay, Value(index, KIND[op], operands, peeks=looked_at))
    return stack, after, after


def _own_iterator(stack: Stack, index: int) -> Stack:
    rest, old = take(stack, ITER_SLOTS)
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
    rest, old = take(stack, 1)
    owned = stack if old[0].kind == values.ITERATOR else push(rest, Value(index, values.ITERATOR, old))
    after = push(owned, Value(index, EFFECT))
    return owned, after, after


def _get_iter(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = take(stack, 1)
    after = push(rest, Value(index, EFFECT, operands, 0, ITER_SLOTS))
    if ITER_SLOTS == 2:
        after = push(after, Value(index, NAME, (), 1, 2, ALWAYS))
    return stack, after, after


def _send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What is sent differs from round to round: a join of its own."""
    rest, _sent = take(stack, 1)
    sent = Value(index, values.JOIN)
    sent.hold = True
    after = push(rest, Value(index, NAME))  # passed on by YIELD_VALUE or END_SEND, never needed here
    return push(rest, sent), after, after


def _end_send(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, ITER_SLOTS + 1)
    after = push(rest, Value(index, EFFECT))
    return stack, after, after


def _yield(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    """What comes back is there once RESUME, the next instruction, is done: nothing may stand in between."""
    rest, operands = take(stack, 1)
    after = push(rest, Value(index + 1, EFFECT, operands))
    return stack, after, after


def _push_exc_info(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, handled = take(stack, 1)
    after = push(push(rest, Value(index, values.PREVIOUS)), handled[0])
    return stack, after, after


def _cleanup_throw(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, _ = take(stack, opcodes.POPS[op] or 0)
    after = rest
    for out in range(ITER_SLOTS):
        after = push(after, Value(index, EFFECT, (), out, ITER_SLOTS + 1, MAYBE if out else NEVER))
    after = push(after, Value(index, EFFECT, (), ITER_SLOTS, ITER_SLOTS + 1))
    return stack, after, after


def _intrinsic(op: int, arg: int, index: int, stack: Stack, ins: Instructions) -> Moved:
    rest, operands = take(stack, 1)
    kind = OPERATOR if arg in _OPERATOR_INTRINSICS else EFFECT
    after = push(rest, Value(index, kind, operands))
    return stack, after, after


_names: list[str] = list(getattr(dis, "_intrinsic_1_descs", ()))
_OPERATOR_INTRINSICS = frozenset(
    number
    for number, name in enumerate(_names)
    if name in ("INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_ASYNC_GEN_WRAP")
)

_moves: dict[str, Move] = NAME_MOVES | {
    "COPY": _copy, "SWAP": _swap, "END_SEND": _end_send, "YIELD_VALUE": _yield,
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
