"""What each instruction does to the symbolic value stack: the table of moves.

In: an opcode. Out: its `Move`: (op, arg, index, stack before, instructions) -> (the stack before it with owned slots
marked, the stack after it on the straight path, the stack where it jumps).
Always true: `EFFECTS_OF[op]` exists for every opcode of this Python.
"""

from __future__ import annotations

from daifu_bc.analysis import effects_blocks as blocks
from daifu_bc.analysis import effects_names as names
from daifu_bc.analysis import effects_operands as operands
from daifu_bc.analysis.effects_operands import Move
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import BARE, FLOW, KIND

# Instructions that do more than to take operands and push results.
_moves: dict[str, Move] = {
    # variables and attributes
    "LOAD_FAST": names.load_fast,
    "LOAD_FAST_BORROW": names.load_fast,
    "LOAD_FAST_CHECK": names.load_fast,
    "LOAD_FAST_LOAD_FAST": names.load_pair,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": names.load_pair,
    "LOAD_FAST_AND_CLEAR": names.load_and_clear,
    "LOAD_DEREF": names.load_deref,
    "LOAD_NAME": names.load_name,
    "LOAD_GLOBAL": names.load_global,
    "LOAD_ATTR": names.load_method,
    "LOAD_SUPER_ATTR": names.load_method,
    "LOAD_SPECIAL": names.load_special,
    "STORE_FAST": names.store_fast,
    "STORE_FAST_STORE_FAST": names.store_pair,
    "STORE_FAST_LOAD_FAST": names.store_load,
    "STORE_DEREF": names.store_other,
    "STORE_NAME": names.store_other,
    "STORE_GLOBAL": names.store_other,
    # slots that are moved or only looked at
    "COPY": operands.copy,
    "SWAP": operands.swap,
    "PUSH_NULL": operands.push_null,
    "IMPORT_FROM": operands.peek,
    "GET_LEN": operands.peek,
    "MATCH_MAPPING": operands.peek,
    "MATCH_SEQUENCE": operands.peek,
    "MATCH_KEYS": operands.peek,
    "CHECK_EXC_MATCH": operands.peek,
    "WITH_EXCEPT_START": operands.peek,
    "CALL_INTRINSIC_1": operands.intrinsic,
    # loops, `with`, generators, exceptions
    "GET_ITER": blocks.get_iter,
    "FOR_ITER": blocks.for_iter,
    "GET_ANEXT": blocks.get_anext,
    "BEFORE_WITH": blocks.before_with,
    "BEFORE_ASYNC_WITH": blocks.before_with,
    "SEND": blocks.send,
    "END_SEND": blocks.end_send,
    "YIELD_VALUE": blocks.yield_value,
    "CLEANUP_THROW": blocks.cleanup_throw,
    "PUSH_EXC_INFO": blocks.push_exc_info,
}


def _move_of(op: int) -> Move:
    name = opcodes.OPNAME[op]
    if name in _moves:
        return _moves[name]
    if op in opcodes.FILLS:
        return operands.fill
    if op == opcodes.RETURN_GENERATOR:
        return operands.plain
    if KIND[op] in (BARE, FLOW) or opcodes.PUSHES[op] == 0:
        return operands.pop if opcodes.POPS[op] != 0 else operands.none
    return operands.plain


EFFECTS_OF: list[Move] = [_move_of(op) for op in range(256)]

__all__ = ["EFFECTS_OF", "Move"]
