"""Opcode sets and stack effects of this Python, made once from names. Loud on a name that nobody classified.

In: opcode numbers. Out: sets (`op in NAMES`), `pops(op, arg)` and `pushes(op, arg)`.
Always true: every opcode that the compiler can emit is in exactly one of the classes below.
"""

from __future__ import annotations

import opcode
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

OPMAP: Final[dict[str, int]] = {
    name: number
    for name, number in opcode.opmap.items()
    if number < 256 and not name.startswith("INSTRUMENTED_")
}
OPNAME: Final[list[str]] = list(opcode.opname[:256])

_cache_entries = opcode._inline_cache_entries  # type: ignore[attr-defined]
CACHES: Final[list[int]] = [
    (_cache_entries.get(OPNAME[op], 0) if hasattr(_cache_entries, "get") else _cache_entries[op])
    for op in range(256)
]
SIZES: Final[list[int]] = [1 + entries for entries in CACHES]  # code units

BARE: Final = 0  # moves or makes values, runs no user code, cannot raise
NAME: Final = 1  # reads a constant, variable, global or attribute: always read afresh
OPERATOR: Final = 2  # computes from its operands: may be evaluated again
EFFECT: Final = 3  # changes something: never runs twice
FLOW: Final = 4  # jumps, returns, and the compiler's own handling of exceptions

_Count = int | Callable[[int], int]


def _bits(arg: int) -> int:
    return 1 + (arg & 1)


# name: (class, pops, pushes, can raise). A pop count includes what is only looked at and stays only when
# the instruction pushes it back as a new value; "stays" is written as 0 pops.
_table: dict[str, tuple[int, _Count, _Count, bool]] = {
    "CACHE": (FLOW, 0, 0, False),
    "RESERVED": (FLOW, 0, 0, False),
    "ENTER_EXECUTOR": (FLOW, 0, 0, False),
    "TRACE_RECORD": (FLOW, 0, 0, False),
    "INTERPRETER_EXIT": (FLOW, 1, 0, False),
    "EXIT_INIT_CHECK": (FLOW, 1, 0, True),
    "EXTENDED_ARG": (FLOW, 0, 0, False),
    # stack moves
    "NOP": (BARE, 0, 0, False),
    "NOT_TAKEN": (BARE, 0, 0, False),
    "POP_TOP": (BARE, 1, 0, False),
    "POP_ITER": (BARE, 1, 0, False),
    "END_FOR": (BARE, 1, 0, False),
    "END_SEND": (BARE, 2, 1, False),
    "COPY": (BARE, 0, 1, False),
    "SWAP": (BARE, 0, 0, False),
    "PUSH_NULL": (BARE, 0, 1, False),
    "KW_NAMES": (BARE, 0, 0, False),
    "RESUME": (BARE, 0, 0, True),
    "MAKE_CELL": (BARE, 0, 0, False),
    "COPY_FREE_VARS": (BARE, 0, 0, False),
    "LOAD_FAST_AND_CLEAR": (BARE, 0, 1, False),
    "STORE_FAST": (BARE, 1, 0, False),
    "STORE_FAST_STORE_FAST": (BARE, 2, 0, False),
    "STORE_FAST_LOAD_FAST": (BARE, 1, 1, False),
    "STORE_DEREF": (BARE, 1, 0, False),
    "LIST_APPEND": (BARE, 1, 0, False),
    # names
    "LOAD_CONST": (NAME, 0, 1, False),
    "LOAD_SMALL_INT": (NAME, 0, 1, False),
    "LOAD_COMMON_CONSTANT": (NAME, 0, 1, False),
    "LOAD_FAST": (NAME, 0, 1, False),
    "LOAD_FAST_BORROW": (NAME, 0, 1, False),
    "LOAD_FAST_LOAD_FAST": (NAME, 0, 2, False),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": (NAME, 0, 2, False),
    "LOAD_FAST_CHECK": (NAME, 0, 1, True),
    "LOAD_CLOSURE": (NAME, 0, 1, False),
    "LOAD_DEREF": (NAME, 0, 1, True),
    "LOAD_FROM_DICT_OR_DEREF": (NAME, 1, 1, True),
    "LOAD_FROM_DICT_OR_GLOBALS": (NAME, 1, 1, True),
    "LOAD_GLOBAL": (NAME, 0, _bits, True),
    "LOAD_NAME": (NAME, 0, 1, True),
    "LOAD_LOCALS": (NAME, 0, 1, False),
    "LOAD_BUILD_CLASS": (NAME, 0, 1, True),
    "LOAD_ASSERTION_ERROR": (NAME, 0, 1, False),
    "LOAD_ATTR": (NAME, 1, _bits, True),
    "LOAD_SUPER_ATTR": (NAME, 3, _bits, True),
    "LOAD_SPECIAL": (NAME, 1, 2, True),
    "IMPORT_FROM": (NAME, 0, 1, True),
    # operators
    "UNARY_NEGATIVE": (OPERATOR, 1, 1, True),
    "UNARY_INVERT": (OPERATOR, 1, 1, True),
    "UNARY_NOT": (OPERATOR, 1, 1, True),
    "TO_BOOL": (OPERATOR, 1, 1, True),
    "BINARY_OP": (OPERATOR, 2, 1, True),
    "BINARY_SUBSCR": (OPERATOR, 2, 1, True),
    "BINARY_SLICE": (OPERATOR, 3, 1, True),
    "COMPARE_OP": (OPERATOR, 2, 1, True),
    "CONTAINS_OP": (OPERATOR, 2, 1, True),
    "IS_OP": (OPERATOR, 2, 1, False),
    "FORMAT_VALUE": (OPERATOR, lambda arg: 2 if arg & 4 else 1, 1, True),
    "FORMAT_SIMPLE": (OPERATOR, 1, 1, True),
    "FORMAT_WITH_SPEC": (OPERATOR, 2, 1, True),
    "CONVERT_VALUE": (OPERATOR, 1, 1, True),
    "BUILD_INTERPOLATION": (OPERATOR, lambda arg: 2 + (arg & 1), 1, True),
    "BUILD_TEMPLATE": (OPERATOR, 2, 1, True),
    "BUILD_STRING": (OPERATOR, lambda arg: arg, 1, False),
    "BUILD_TUPLE": (OPERATOR, lambda arg: arg, 1, False),
    "BUILD_LIST": (OPERATOR, lambda arg: arg, 1, False),
    "BUILD_SET": (OPERATOR, lambda arg: arg, 1, True),
    "BUILD_MAP": (OPERATOR, lambda arg: 2 * arg, 1, True),
    "BUILD_CONST_KEY_MAP": (OPERATOR, lambda arg: arg + 1, 1, True),
    "BUILD_SLICE": (OPERATOR, lambda arg: arg, 1, False),
    "MAKE_FUNCTION": (OPERATOR, 1, 1, False),
    "SET_FUNCTION_ATTRIBUTE": (OPERATOR, 2, 1, False),
    "GET_LEN": (OPERATOR, 0, 1, True),
    "MATCH_MAPPING": (OPERATOR, 0, 1, False),
    "MATCH_SEQUENCE": (OPERATOR, 0, 1, False),
    "MATCH_KEYS": (OPERATOR, 0, 1, True),
    "MATCH_CLASS": (OPERATOR, 3, 1, True),
    "CHECK_EXC_MATCH": (OPERATOR, 1, 1, True),
    # effects
    "CALL": (EFFECT, lambda arg: arg + 2, 1, True),
    "CALL_KW": (EFFECT, lambda arg: arg + 3, 1, True),
    "CALL_FUNCTION_EX": (EFFECT, 4, 1, True),
    "CALL_INTRINSIC_1": (EFFECT, 1, 1, True),
    "CALL_INTRINSIC_2": (EFFECT, 2, 1, True),
    "GET_ITER": (EFFECT, 1, 1, True),
    "GET_YIELD_FROM_ITER": (EFFECT, 1, 1, True),
    "GET_AITER": (EFFECT, 1, 1, True),
    "GET_ANEXT": (EFFECT, 0, 1, True),
    "GET_AWAITABLE": (EFFECT, 1, 1, True),
    "FOR_ITER": (EFFECT, 0, 1, True),
    "SEND": (EFFECT, 1, 1, True),
    "YIELD_VALUE": (EFFECT, 1, 1, True),
    "BEFORE_WITH": (EFFECT, 1, 2, True),
    "BEFORE_ASYNC_WITH": (EFFECT, 1, 2, True),
    "WITH_EXCEPT_START": (EFFECT, 0, 1, True),
    "IMPORT_NAME": (EFFECT, 2, 1, True),
    "UNPACK_SEQUENCE": (EFFECT, 1, lambda arg: arg, True),
    "UNPACK_EX": (EFFECT, 1, lambda arg: (arg & 0xFF) + (arg >> 8) + 1, True),
    "CHECK_EG_MATCH": (EFFECT, 2, 2, True),
    "LIST_EXTEND": (EFFECT, 1, 0, True),
    "SET_ADD": (EFFECT, 1, 0, True),
    "SET_UPDATE": (EFFECT, 1, 0, True),
    "MAP_ADD": (EFFECT, 2, 0, True),
    "DICT_UPDATE": (EFFECT, 1, 0, True),
    "DICT_MERGE": (EFFECT, 1, 0, True),
    "STORE_ATTR": (EFFECT, 2, 0, True),
    "STORE_SUBSCR": (EFFECT, 3, 0, True),
    "STORE_SLICE": (EFFECT, 4, 0, True),
    "STORE_GLOBAL": (EFFECT, 1, 0, False),
    "STORE_NAME": (EFFECT, 1, 0, True),
    "DELETE_ATTR": (EFFECT, 1, 0, True),
    "DELETE_SUBSCR": (EFFECT, 2, 0, True),
    "DELETE_FAST": (EFFECT, 0, 0, True),
    "DELETE_DEREF": (EFFECT, 0, 0, True),
    "DELETE_GLOBAL": (EFFECT, 0, 0, True),
    "DELETE_NAME": (EFFECT, 0, 0, True),
    "SETUP_ANNOTATIONS": (EFFECT, 0, 0, True),
    # flow
    "JUMP_FORWARD": (FLOW, 0, 0, False),
    "JUMP_BACKWARD": (FLOW, 0, 0, True),
    "JUMP_BACKWARD_NO_INTERRUPT": (FLOW, 0, 0, False),
    "POP_JUMP_IF_FALSE": (FLOW, 1, 0, True),
    "POP_JUMP_IF_TRUE": (FLOW, 1, 0, True),
    "POP_JUMP_IF_NONE": (FLOW, 1, 0, False),
    "POP_JUMP_IF_NOT_NONE": (FLOW, 1, 0, False),
    "RETURN_VALUE": (FLOW, 1, 0, False),
    "RETURN_CONST": (FLOW, 0, 0, False),
    "RETURN_GENERATOR": (FLOW, 0, 1, False),
    "RAISE_VARARGS": (FLOW, lambda arg: arg, 0, True),
    "RERAISE": (FLOW, 1, 0, True),
    "PUSH_EXC_INFO": (FLOW, 1, 2, False),
    "POP_EXCEPT": (FLOW, 1, 0, False),
    "CLEANUP_THROW": (FLOW, 3, 2, True),
    "END_ASYNC_FOR": (FLOW, 2, 0, True),
}

_py312 = "RETURN_CONST" in OPMAP and "FORMAT_VALUE" in OPMAP
_py315 = "LOAD_SPECIAL" in OPMAP and "GET_YIELD_FROM_ITER" not in OPMAP
if _py312:
    _table["END_FOR"] = (BARE, 2, 0, False)
    _table["MAKE_FUNCTION"] = (OPERATOR, lambda arg: 1 + (arg & 15).bit_count(), 1, False)
if "TO_BOOL" in OPMAP:  # conditional jumps and UNARY_NOT are handed a bool
    for _name in ("POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE"):
        _table[_name] = (FLOW, 1, 0, False)
    _table["UNARY_NOT"] = (OPERATOR, 1, 1, False)
if "LOAD_SPECIAL" not in OPMAP:
    _table["CALL_FUNCTION_EX"] = (EFFECT, lambda arg: 3 + (arg & 1), 1, True)
if _py315:  # iterators take two slots of the value stack
    _table["GET_ITER"] = (EFFECT, 1, 2, True)
    _table["POP_ITER"] = (BARE, 2, 0, False)
    _table["END_SEND"] = (BARE, 3, 1, False)
    _table["CLEANUP_THROW"] = (FLOW, 4, 3, True)

_unknown = sorted(set(OPMAP) - set(_table))
if _unknown:
    raise ImportError(f"daifu_bc does not know these instructions of this Python: {', '.join(_unknown)}")


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(OPMAP[name] for name in names if name in OPMAP)


KIND: Final[list[int]] = [FLOW] * 256
RAISES: Final[list[bool]] = [False] * 256
_pops: list[_Count] = [0] * 256
_pushes: list[_Count] = [0] * 256
for _name, _op in OPMAP.items():
    KIND[_op], _pops[_op], _pushes[_op], RAISES[_op] = _table[_name]

# Plain numbers where the effect does not depend on the argument (most instructions), else None.
POPS: Final[list[int | None]] = [count if isinstance(count, int) else None for count in _pops]
PUSHES: Final[list[int | None]] = [count if isinstance(count, int) else None for count in _pushes]
ITER_SLOTS: Final = 2 if _py315 else 1  # slots of the value stack that an iterator takes


def pops(op: int, arg: int) -> int:
    """Slots that the instruction takes off the value stack."""
    count = _pops[op]
    return count if isinstance(count, int) else count(arg)


def pushes(op: int, arg: int) -> int:
    """Slots that it puts there."""
    count = _pushes[op]
    return count if isinstance(count, int) else count(arg)


def is_in_place(op: int, arg: int) -> bool:
    """Is this an in-place operator (`+=`): an effect, not an operator?"""
    return op == BINARY_OP and 13 <= arg <= 25


BINARY_OP: Final = OPMAP["BINARY_OP"]
EXTENDED_ARG: Final = OPMAP["EXTENDED_ARG"]
CONDITIONAL_JUMPS: Final = _numbers(
    "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "FOR_ITER", "SEND"
)
BACKWARD_JUMPS: Final = _numbers("JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
PLAIN_JUMPS: Final = BACKWARD_JUMPS | _numbers("JUMP_FORWARD")
JUMPS: Final = CONDITIONAL_JUMPS | PLAIN_JUMPS
# Where END_ASYNC_FOR has an argument, it names the instruction that the loop awaits at (read by monitoring only).
REFERS_BACK: Final = frozenset(
    number for number in _numbers("END_ASYNC_FOR") if number in opcode.hasarg and number in opcode.hasjrel
) if hasattr(opcode, "hasarg") else frozenset[int]()  # fmt: skip
EXITS: Final = _numbers("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT")
NO_FALLTHROUGH: Final = EXITS | BACKWARD_JUMPS | _numbers("JUMP_FORWARD")
RETURNS: Final = _numbers("RETURN_VALUE", "RETURN_CONST")
# Results of operators are kept where one of these still follows in the statement.
CALLS: Final = _numbers(
    "CALL", "CALL_KW", "CALL_FUNCTION_EX", "SEND", "YIELD_VALUE", "IMPORT_NAME", "GET_AWAITABLE", "GET_ANEXT"
)
# Their container is filled in place: argument = position of the container after the operands are gone.
FILLS: Final = _numbers(
    "LIST_APPEND", "LIST_EXTEND", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE"
)
ITERATING_FILLS: Final = _numbers("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE")
LOADS_FAST: Final = _numbers(
    "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR"
)
UNCHECKED_LOADS: Final = _numbers("LOAD_FAST", "LOAD_FAST_BORROW")
PAIR_LOADS: Final = _numbers("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
BORROWING_LOADS: Final = _numbers("LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
PAIRS: Final = PAIR_LOADS | _numbers("STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST")
STORES_FAST: Final = _numbers("STORE_FAST", "DELETE_FAST", "STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST")
METHOD_LOADS: Final = _numbers("LOAD_ATTR", "LOAD_SUPER_ATTR")  # an attribute, or a method and its self
# One argument that indexes the frame's local slots (locals, cells, free variables).
SLOT_ARGUMENTS: Final = _numbers(
    "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "STORE_FAST", "DELETE_FAST",
    "LOAD_CLOSURE", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "MAKE_CELL", "LOAD_FROM_DICT_OR_DEREF",
)  # fmt: skip
# The compiler's own handling of exceptions: never covered by a barrier, except to catch a restart on its way out.
NEVER_COVERED: Final = _numbers(
    "YIELD_VALUE", "RETURN_GENERATOR", "COPY_FREE_VARS", "MAKE_CELL", "CLEANUP_THROW", "END_ASYNC_FOR",
    "PUSH_EXC_INFO", "POP_EXCEPT",
)  # fmt: skip
RERAISES: Final = _numbers("RERAISE", "CLEANUP_THROW", "END_ASYNC_FOR")
# What they give is a result that a reader of the source would name; it can be shown, replaced, computed again.
GIVES_RESULT: Final = _numbers(
    "CALL", "CALL_KW", "CALL_FUNCTION_EX", "IMPORT_NAME", "END_SEND", "RESUME", "FOR_ITER", "BEFORE_WITH",
    "UNPACK_SEQUENCE", "UNPACK_EX", "UNARY_NEGATIVE", "UNARY_INVERT", "BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE",
    "COMPARE_OP", "CONTAINS_OP", "LOAD_ATTR", "LOAD_SUPER_ATTR",
)  # fmt: skip
# Argument of LOAD_COMMON_CONSTANT for a function of the module builtins, whatever names there mean; -1: there is none.
_common: list[object] = getattr(opcode, "_common_constants", [])
COMMON_BUILTIN: Final[int] = _common.index(all) if all in _common else -1
# Reading a frame's variables by name from inside the statement: kept results would be seen.
LOOKS_AT_LOCALS: Final = frozenset({"locals", "vars", "dir", "eval", "exec"})


# `opcodes.CALL`: the number of each instruction above, or -1 where this Python has no such instruction.
globals().update({_name: OPMAP.get(_name, -1) for _name in _table})

if TYPE_CHECKING:

    def __getattr__(name: str) -> int: ...
