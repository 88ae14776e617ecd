"""What instructions do to the symbols on a path through a handler, where the path goes on straight.

In: a Reader, the path's State and the instruction it is at. Out: the next State.
Always true: an instruction that is not listed in STEPS pops and pushes as it must (`plain`), what it pushes
is unknown. Those where a path parts or ends are in handlers_branches.
"""

from __future__ import annotations

import opcode
from collections.abc import Callable
from typing import Final

from daifu_bc.crash.handlers_reading import Instruction, Reader
from daifu_bc.crash.handlers_state import State
from daifu_bc.crash.handlers_symbols import (
    EXCEPTIONS,
    INCOMING,
    NOTHING,
    NULL,
    Argument,
    Attribute,
    Called,
    Compared,
    Constant,
    Matched,
    Name,
    Negated,
    Regrouped,
    Rest,
    Spread,
    SuperAttribute,
    Symbol,
    Test,
    TupleOf,
    WithResult,
    constant,
)  # fmt: skip
from daifu_bc.interpreter import behavior
from daifu_bc.interpreter.opcodes import pops, pushes

Step = Callable[[Reader, State, Instruction], State]

_TESTS: Final = {"issubclass": 1, "isinstance": 2}  # and which argument of __exit__ they look at
_TYPE: Final = Argument(1)  # of an `__exit__`
_KEPT: Final = (*EXCEPTIONS, Called)


def plain(_reader: Reader, state: State, step: Instruction) -> State:
    """Any instruction: pops, pushes something unknown, goes on behind it."""
    unknown: tuple[None, ...] = (None,) * pushes(step.op, step.arg)
    return state.drop(pops(step.op, step.arg)).push(*unknown).to(step.end)


def call(_reader: Reader, state: State, step: Instruction) -> State:
    """A call, taken to succeed."""
    callee, arguments = called(state, step)
    return state.drop(pops(step.op, step.arg)).push(_result(callee, arguments)).to(step.end)


def called(state: State, step: Instruction) -> tuple[Symbol | None, tuple[Symbol | None, ...]]:
    """Callee and positional arguments of the call that `state` is at."""
    lowest = pops(step.op, step.arg) - 1
    callee = state.top(lowest)
    if callee == NULL:
        callee = state.top(lowest - 1)
    if callee == NULL:
        callee = None
    if step.name != "CALL":
        return callee, (None,)
    return callee, state.stack[len(state.stack) - step.arg :] if step.arg else ()


def _result(callee: Symbol | None, arguments: tuple[Symbol | None, ...]) -> Symbol | None:
    if callee is None:
        return None
    if isinstance(callee, Name) and callee.name in _TESTS and len(arguments) == 2:
        tested = arguments[0]
        if isinstance(tested, Argument) and tested.index == _TESTS[callee.name]:
            return Test(INCOMING, arguments[1])
    if isinstance(callee, Attribute) and callee.name == "with_traceback":
        return callee.base
    return Called(callee, arguments)


def never_none(symbol: Symbol | None) -> bool:
    """Is `symbol` surely an object, and a true one?"""
    return (isinstance(symbol, Argument) and symbol.index > 0) or (
        isinstance(symbol, EXCEPTIONS) and not isinstance(symbol, Matched | Rest | Regrouped)
    )


def _same(_reader: Reader, state: State, step: Instruction) -> State:
    return state.to(step.end)


def _load(reader: Reader, state: State, step: Instruction) -> State:
    known = dict(state.names)
    loaded = reader.loaded(step) or ()
    symbols = [known.get(one.name, one) if isinstance(one, Name) else one for one in loaded]
    return state.push(*symbols).to(step.end)


def _load_from(reader: Reader, state: State, step: Instruction) -> State:
    """A name of a class body, looked up in the namespace on the stack first."""
    return _load(reader, state.drop(1), step) if reader.loaded(step) else plain(reader, state, step)


def _attribute(reader: Reader, state: State, step: Instruction) -> State:
    found = reader.attribute(step, state.top())
    method: tuple[None, ...] = (None,) * (pushes(step.op, step.arg) - 1)
    return state.drop(1).push(found, *method).to(step.end)


def _super_attribute(reader: Reader, state: State, step: Instruction) -> State:
    found = SuperAttribute(reader.code.co_names[step.arg >> 2])
    method: tuple[None, ...] = (None,) * (pushes(step.op, step.arg) - 1)
    return state.drop(3).push(found, *method).to(step.end)


def _null(_reader: Reader, state: State, step: Instruction) -> State:
    return state.push(NULL).to(step.end)


def _store(reader: Reader, state: State, step: Instruction) -> State:
    for variable in reader.stored(step):
        value = state.top()
        state = state.drop(1).name(variable, value if isinstance(value, _KEPT) else None)
    if step.name == "STORE_FAST_LOAD_FAST":
        loaded = reader.slots[step.arg & 15]
        state = state.push(dict(state.names).get(loaded, Name("local", loaded)))
    return state.to(step.end)


def _delete(reader: Reader, state: State, step: Instruction) -> State:
    for variable in reader.stored(step):
        state = state.name(variable, None)
    return state.to(step.end)


def _copy(_reader: Reader, state: State, step: Instruction) -> State:
    return state.push(state.top(step.arg - 1)).to(step.end)


def _swap(_reader: Reader, state: State, step: Instruction) -> State:
    upper, lower = state.top(), state.top(step.arg - 1)
    return state.put(0, lower).put(step.arg - 1, upper).to(step.end)


def _gather(_reader: Reader, state: State, step: Instruction) -> State:
    items = state.stack[len(state.stack) - step.arg :] if step.arg else ()
    return state.drop(step.arg).push(TupleOf(items)).to(step.end)


def _append(_reader: Reader, state: State, step: Instruction) -> State:
    item = state.top() if step.name == "LIST_APPEND" else Spread(state.top())
    state = state.drop(1)
    filled = state.top(step.arg - 1)
    items = filled.items if isinstance(filled, TupleOf) else (Spread(None),)
    if item not in items:  # loops add the same again
        state = state.put(step.arg - 1, TupleOf((*items, item)))
    return state.to(step.end)


def _intrinsic_1(_reader: Reader, state: State, step: Instruction) -> State:
    """List to tuple, StopIteration to RuntimeError: the symbol stays what it is."""
    kept = state.top() if isinstance(state.top(), (TupleOf, *EXCEPTIONS)) else None
    return state.put(0, kept).to(step.end)


def _intrinsic_2(_reader: Reader, state: State, step: Instruction) -> State:
    """The end of a `try` with `except*`; the other intrinsics make type parameters."""
    parts, original = state.top(), state.top(1)
    regrouped = Regrouped(original, parts.items) if isinstance(parts, TupleOf) else None
    return state.drop(2).push(regrouped).to(step.end)


def _is(_reader: Reader, state: State, step: Instruction) -> State:
    sides, inverted = (state.top(), state.top(1)), bool(step.arg & 1)
    result: Symbol | None = None
    if NOTHING in sides and any(map(never_none, sides)):
        result = constant(inverted)
    elif _TYPE in sides and None not in sides:
        test = Test(INCOMING, sides[1] if sides[0] == _TYPE else sides[0], exact=True)
        result = Negated(test) if inverted else test
    else:
        result = Compared("is not" if inverted else "is", sides[1], sides[0])
    return state.drop(2).push(result).to(step.end)


def _compare(_reader: Reader, state: State, step: Instruction) -> State:
    if step.name == "CONTAINS_OP":
        sign = "not in" if step.arg & 1 else "in"
    else:
        sign = opcode.cmp_op[step.arg >> behavior.comparison_shift]
    return state.drop(2).push(Compared(sign, state.top(1), state.top())).to(step.end)


def _not(_reader: Reader, state: State, step: Instruction) -> State:
    inner = state.top()
    result: Symbol | None = Negated(inner) if inner is not None else None
    if isinstance(inner, Constant):
        result = constant(not inner.value)
    return state.put(0, result).to(step.end)


def _with_except_start(_reader: Reader, state: State, step: Instruction) -> State:
    """The handler of a `with` begins with PUSH_EXC_INFO, one code unit before."""
    return state.push(WithResult(step.offset - 2, state.top())).to(step.end)


def _send(_reader: Reader, state: State, step: Instruction) -> State:
    """What is awaited is taken to finish: its result is the last value sent."""
    return state.to(step.target)


def _end_send(_reader: Reader, state: State, step: Instruction) -> State:
    count = pops(step.op, step.arg)
    gone = state.stack[len(state.stack) - count :]
    result = next((one for one in gone if isinstance(one, WithResult)), None)
    return state.drop(count).push(result).to(step.end)


STEPS: Final[dict[str, Step]] = {
    **dict.fromkeys(
        (
            "TO_BOOL", "GET_AWAITABLE", "NOP", "NOT_TAKEN", "RESUME", "KW_NAMES", "COPY_FREE_VARS",
            "MAKE_CELL",
        ),
        _same,
    ),
    **dict.fromkeys(
        (
            "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME",
            "LOAD_CONST", "LOAD_SMALL_INT", "LOAD_COMMON_CONSTANT", "LOAD_ASSERTION_ERROR",
            "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW",
        ),
        _load,
    ),
    **dict.fromkeys(
        (
            "STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_GLOBAL", "STORE_FAST_STORE_FAST",
            "STORE_FAST_LOAD_FAST",
        ),
        _store,
    ),
    **dict.fromkeys(("DELETE_FAST", "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL"), _delete),
    **dict.fromkeys(("LIST_APPEND", "LIST_EXTEND"), _append),
    **dict.fromkeys(("BUILD_TUPLE", "BUILD_LIST"), _gather),
    **dict.fromkeys(("CALL", "CALL_KW", "CALL_FUNCTION_EX"), call),
    "LOAD_FROM_DICT_OR_DEREF": _load_from,
    "LOAD_ATTR": _attribute,
    "LOAD_SUPER_ATTR": _super_attribute,
    "PUSH_NULL": _null,
    "COPY": _copy,
    "SWAP": _swap,
    "CALL_INTRINSIC_1": _intrinsic_1,
    "CALL_INTRINSIC_2": _intrinsic_2,
    "IS_OP": _is,
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _compare,
    "UNARY_NOT": _not,
    "WITH_EXCEPT_START": _with_except_start,
    "SEND": _send,
    "END_SEND": _end_send,
}  # fmt: skip
