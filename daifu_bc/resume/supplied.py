"""`Use(value)`: go on behind the failing instruction, with a value in place of its result.

In: `FrameState`, the value. Out: `Plan`, or CannotResume where there is no single result.
Always true: the value stack is that of a run in which the instruction gave the value.
"""

from __future__ import annotations

from daifu_bc.analysis.recipes import recipe_for, stack_above
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import CannotResume, Paused
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import ITER_SLOTS
from daifu_bc.resume.held import operand_of
from daifu_bc.resume.places import NEXT_VALUE, PUSH_NULL, Plan, at, resources


def use(state: FrameState, value: object) -> Plan:
    """Go on as if what failed had given `value`. Raises CannotResume."""
    if isinstance(state.exception, Paused):
        raise CannotResume("use: nothing failed here, so there is no result to be replaced; retry goes on")
    ins = state.protection.flow.instructions
    index, op, arg = state.index, ins.ops[state.index], ins.args[state.index]
    if op in (opcodes.UNPACK_SEQUENCE, opcodes.UNPACK_EX):
        return at(state, index, [*recipe_for(resources(state), index, 1), NEXT_VALUE], [value])
    if op in (opcodes.POP_JUMP_IF_FALSE, opcodes.POP_JUMP_IF_TRUE):
        return at(state, index, [*recipe_for(resources(state), index, 1), NEXT_VALUE], [bool(value)])
    if op in (opcodes.SEND, opcodes.GET_AWAITABLE, opcodes.GET_ANEXT):
        return _use_awaited(state, value)
    if op == opcodes.BEFORE_WITH:
        return _use_entered(state, value)
    if op == opcodes.BEFORE_ASYNC_WITH or op in opcodes.EXITS or opcodes.PUSHES[op] == 0:
        raise CannotResume(f"use: {_no_result(op)}")
    count = opcodes.pops(op, arg)
    recipe = recipe_for(resources(state), index, count)
    results = opcodes.pushes(op, arg)
    given: list[object] = [bool(value)] if op in (opcodes.TO_BOOL, opcodes.CHECK_EXC_MATCH) else [value]
    if op == opcodes.GET_ITER:
        given = [iter(value)]  # type: ignore[call-overload]
    if results == 1:
        recipe.append(NEXT_VALUE)
    elif op in _WITH_NULL:
        null_last = behavior.null_follows_callable or op == opcodes.GET_ITER
        recipe += [NEXT_VALUE, PUSH_NULL] if null_last else [PUSH_NULL, NEXT_VALUE]
    else:
        raise CannotResume(f"use: {_no_result(op)}")
    return at(state, index, recipe, given, index, "after")


_WITH_NULL = frozenset(
    op for op in (opcodes.LOAD_GLOBAL, opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR, opcodes.GET_ITER) if op >= 0
)


def _no_result(op: int) -> str:
    return f"what failed ({opcodes.OPNAME[op]}) has no single result that could be replaced; try skip or jump LINE"


def _use_entered(state: FrameState, value: object) -> Plan:
    """What `as` gets; the manager counts as entered: its exit will be called."""
    manager = operand_of(state, stack_above(state.protection.flow, state.index)[1][-1])
    leave = getattr(type(manager), "__exit__", None)
    if manager is None or leave is None:
        raise CannotResume("use: the context manager is out of reach; go on with skip or jump LINE")
    recipe = [*recipe_for(resources(state), state.index, 1), NEXT_VALUE, NEXT_VALUE]
    return at(state, state.index, recipe, [leave.__get__(manager, type(manager)), value], state.index, "after")


def _use_awaited(state: FrameState, value: object) -> Plan:
    """The result of an await: go on behind its SEND loop, with something to take off in place of the awaited."""
    ins = state.protection.flow.instructions
    index = state.index
    send = index
    while ins.ops[send] != opcodes.SEND:
        send += 1
    operands = {opcodes.SEND: ITER_SLOTS + 1, opcodes.GET_AWAITABLE: 1, opcodes.GET_ANEXT: 0}[ins.ops[index]]
    recipe = recipe_for(resources(state), index, operands)
    recipe += [NEXT_VALUE, *[PUSH_NULL] * (ITER_SLOTS - 1), NEXT_VALUE]
    return at(state, index, recipe, [None, value], ins.targets[send], "label")
