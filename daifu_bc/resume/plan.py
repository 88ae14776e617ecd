"""A restart in a frame -> where to go on, and how the value stack is rebuilt there; or why not.

In: `FrameState`, a restart. Out: `Plan`, or CannotResume with what was asked, what stands in the way, what can
be done. Changes nothing: `can()` asks the same question.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field

from daifu_bc.analysis import contexts, values
from daifu_bc.analysis.contexts import wrapper_target
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.recipes import Resources, kept_for, recipe_for, stack_above
from daifu_bc.crash.state import FrameState
from daifu_bc.crash.variables import hidden_values as read_hidden
from daifu_bc.errors import CannotResume
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import ITER_SLOTS
from daifu_bc.restarts.restarts import Jump, NextIteration, Redo, Restart, Retry, Return, Skip, Use
from daifu_bc.resume.iterators import loop_state, what_died
from daifu_bc.resume.signals import raised_by_signal_handler

NEXT_VALUE = (-1, 0)  # in a recipe: the next of the plan's values
PUSH_NULL = (opcodes.PUSH_NULL, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Where a frame goes on."""

    index: int = -1  # instruction of the original whose recipe it is
    target: int = -1  # instruction of the original to go on at
    side: str = "here"  # "here": at it, "label": where jumps to it arrive, "after": behind it
    depth: int = 0  # slots of the value stack that are kept
    recipe: list[tuple[int, int]] = field(default_factory=list)
    values: list[object] = field(default_factory=list)
    rows: frozenset[int] | None = None  # handlers' rows at which it can begin; None: right here only
    returns: bool = False  # leave the frame with values[0]


def plan(state: FrameState, restart: Restart) -> Plan:
    """Where `restart` leads in this frame. Raises CannotResume."""
    match restart:
        case Retry():
            return _retry(state)
        case Redo():
            return _enter(state, _redo_point(state))
        case Skip():
            return _skip(state)
        case NextIteration(loop):
            return _next_iteration(state, loop)
        case Jump(lineno):
            return _jump(state, lineno)
        case Use(value):
            return _use(state, value)
        case Return(value):
            return _return(state, value)
    raise CannotResume(f"{restart}: this restart is not available")


# Retry.


def _retry(state: FrameState) -> Plan:
    reason = retry_refusal(state)
    if reason is not None:
        raise CannotResume(f"retry: {reason}")
    if state.protection.flow.instructions.ops[state.index] == opcodes.RAISE_VARARGS:
        return _enter(state, _redo_point(state))  # an assert: its condition is tested again
    recipe = recipe_for(resources(state), state.index)
    if state.moved:  # a handler raised it again: the way back leads out of the handler
        depth = own_depth(state.protection.flow, state.index)
        return Plan(state.index, state.index, "here", depth, recipe, [], frozenset(state.points.chain(state.index)))
    return _at(state, state.index, recipe, [])


def retry_refusal(state: FrameState) -> str | None:
    """Why the failing instruction cannot run again, or None."""
    ins = state.protection.flow.instructions
    op = ins.ops[state.index]
    if op == opcodes.RAISE_VARARGS:
        if _is_assert(state):
            return None
        return (
            "this statement raises on purpose and would only raise again; go on with skip, next-iteration, jump, "
            "return, or retry the call that led here (the next frame outwards)"
        )
    if op in opcodes.RERAISES:
        return "the exception only passes through here on its way out; choose the frame or line where it began"
    if op in (opcodes.FOR_ITER, opcodes.SEND):
        return _dead_iterator(state)
    if op in opcodes.ITERATING_FILLS:
        return _half_filled(state)
    if op in (opcodes.UNPACK_SEQUENCE, opcodes.UNPACK_EX):
        return _half_unpacked(state)
    if op in opcodes.CALLS:
        if raised_by_signal_handler(state.exception, state.frame):
            return "a signal handler raised while this call ran or just as it was done: it may be done; use VALUE"
        return _bad_call(state)
    if op == opcodes.WITH_EXCEPT_START:
        return _dead_manager(state)
    return None


def _dead_manager(state: FrameState) -> str | None:
    exits = [slot for slot, kind in enumerate(state.kinds) if kind in (contexts.EXIT, contexts.EXIT_SELF)]
    if exits and _is_exit_stack(state.slot_value(exits[-1])):
        return _HALF_LEFT
    if exits and what_died(state.slot_value(exits[-1]), state.exception) is not None:
        return "the context manager's generator raised and is finished: it cannot be left again; try skip or jump LINE"
    return None


_HALF_LEFT = "the exit stack has taken callbacks off already, which it would not call again; try skip or jump LINE"


def _is_exit_stack(leave: object) -> bool:
    """Is this the exit of an ExitStack, or the stack itself?"""
    stack = getattr(leave, "__self__", leave)
    return isinstance(stack, (contextlib.ExitStack, contextlib.AsyncExitStack))


def _half_unpacked(state: FrameState) -> str | None:
    iterable = _operand(state, stack_above(state.protection.flow, state.index)[1][-1])
    if iterable is None or not _iterates_itself(iterable):
        return None
    return "items that the unpacking has already taken from the iterator are lost; supply the sequence with use VALUE"


def _bad_call(state: FrameState) -> str | None:
    """Would the call run a class body again, or ask a generator that is finished?"""
    ins = state.protection.flow.instructions
    hidden = hidden_values(state)
    exits = state.protection.keeps.operands.get(state.index, {}).values()
    if any(_is_exit_stack(hidden.get(leave.slot)) for leave in exits):
        return _HALF_LEFT
    operands = opcodes.pops(ins.ops[state.index], ins.args[state.index])
    taken = stack_above(state.protection.flow, state.index)[1][-operands:] if operands else []
    for value in _with_parts(taken):
        if ins.ops[value.index] == opcodes.LOAD_BUILD_CLASS and not _class_body_crashed(state):
            return "the class body has run and would run again, which redo does; mend what failed, or use VALUE"
        dead = what_died(_operand(state, value), state.exception)
        if dead is not None:
            return (
                f"the {dead} that this asks raised and is finished for good: asking it again would not continue it; "
                "supply the result with use VALUE"
            )
    return None


def _with_parts(taken: list[values.Value]) -> Iterator[values.Value]:
    """Operands of a call, and what its method is a method of."""
    for value in taken:
        yield value
        if value.kind == opcodes.NAME:
            yield from value.operands


def _class_body_crashed(state: FrameState) -> bool:
    """Did the exception come out of the class body itself (and not out of what `type` does with it)?"""
    entry = state.exception.__traceback__
    while entry is not None:
        if entry.tb_frame.f_back is state.frame and not entry.tb_frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return True
        entry = entry.tb_next
    return False


def _is_assert(state: FrameState) -> bool:
    statement = state.points.statement()
    return statement is not None and statement.kind == "Assert"


def _dead_iterator(state: FrameState) -> str | None:
    iterator = current_iterator(state)
    dead = what_died(iterator, state.exception)
    if dead is not None:
        return (
            f"the {dead} that this waits for raised and is finished for good: asking it again would end it silently; "
            "supply the value with use VALUE, or put a fresh iterator in crash.loops[0].iterator"
        )
    if loop_state(iterator, state.exception) == "invalid":
        return "what the loop iterates over changed its size: its iterator only raises; assign crash.loops[0].iterator"
    return None


def current_iterator(state: FrameState) -> object:
    """What the failing FOR_ITER asks or SEND sends to, as far as it can be reached."""
    ins = state.protection.flow.instructions
    if ins.ops[state.index] == opcodes.FOR_ITER:
        slots = state.iterator_slots()
        if slots and slots[-1] in state.new_iterators:
            return state.new_iterators[slots[-1]]
        return state.iterators[-1] if state.iterators else None
    receiver = values.bottom_up(state.protection.flow.before[state.index])[-1 - ITER_SLOTS]  # type: ignore[arg-type]
    return kept_value(state, receiver)


def kept_value(state: FrameState, value: values.Value) -> object:
    """A kept result, as it is now."""
    if value.slot in state.assigned:
        return state.assigned[value.slot]
    return hidden_values(state).get(value.slot) if value.kept else None


def hidden_values(state: FrameState) -> dict[int, object]:
    """Hidden local number -> value, for those that hold one."""
    names = {name: number for number, name in enumerate(state.protection.hidden)}
    return {names[name]: value for name, value in read_hidden(state.frame, names).items()}


def _half_filled(state: FrameState) -> str | None:
    _depth, above = stack_above(state.protection.flow, state.index)
    iterable = _operand(state, above[-1])
    if iterable is None or _iterates_itself(iterable):
        return None
    merges = state.protection.flow.instructions.ops[state.index] == opcodes.DICT_MERGE
    if isinstance(iterable, (list, tuple, str, bytes, range, set, frozenset, dict)):
        return None
    if not (merges or state.protection.flow.instructions.ops[state.index] == opcodes.LIST_EXTEND):
        return None  # sets and dictionaries take the same items twice without harm
    if not (hasattr(type(iterable), "__iter__") or hasattr(type(iterable), "keys")):
        return None
    return (
        "the container may have taken some of the items before the failure, and would take them twice; "
        "redo runs the statement again from its start"
    )


def _operand(state: FrameState, value: values.Value) -> object:
    if value.kept:
        return kept_value(state, value)
    if value.variable is not None and value.variable[0] == "fast":
        names = state.protection.original.co_varnames
        if value.variable[1] < len(names):
            return state.variables.get(names[value.variable[1]])
    return None


def _iterates_itself(iterable: object) -> bool:
    return hasattr(type(iterable), "__next__")


def resources(state: FrameState) -> Resources:
    """What recipes may use in this frame."""
    protection = state.protection
    original = protection.original
    shift = protection.hidden_slots
    unbound = [number for number, name in enumerate(original.co_varnames) if name in state.variables.unbound]
    return Resources(
        flow=protection.flow,
        keeps=protection.keeps,
        dropped=state.dropped,
        bound_hidden=hidden_values(state).keys() | state.assigned.keys(),
        unbound=unbound,
        slot=lambda number: number if number < original.co_nlocals else number + shift,
    )


def _at(
    state: FrameState,
    index: int,
    recipe: list[tuple[int, int]],
    given: list[object],
    target: int = -1,
    side: str = "here",
) -> Plan:
    depth = own_depth(state.protection.flow, index)
    return Plan(index, target if target >= 0 else index, side, depth, recipe, given, None)


# Points.


def _enter(state: FrameState, index: int) -> Plan:
    """Go on at the base point `index`; blocks in between are left first, their `with` and `finally` run."""
    stack = state.protection.flow.before[index]
    rows = frozenset(state.points.chain(index))
    if state.protection.flow.cover[state.index] == state.protection.flow.cover[index]:
        rows |= {state.protection.flow.cover[state.index]}
    return Plan(index, index, "label", values.depth_of(stack), [], [], rows)  # type: ignore[arg-type]


def _redo_point(state: FrameState) -> int:
    point = state.points.statement_start()
    if point is None:
        raise CannotResume("redo: this statement's start cannot be entered from here; try next-iteration or jump LINE")
    return point


def _skip(state: FrameState) -> Plan:
    end = state.points.end_of_statement()
    if end is not None and not state.moved:  # control would flow there: no block is left on the way
        depth = values.depth_of(state.protection.flow.before[end])  # type: ignore[arg-type]
        return Plan(end, end, "label", depth, [], [], None)
    point = state.points.after_statement()
    if point is None:
        raise CannotResume(
            "skip: it is not known what follows this statement (is the source file there and unchanged?); use jump LINE"
        )
    return _return(state, None) if point < 0 else _enter(state, point)


def _next_iteration(state: FrameState, number: int) -> Plan:
    headers = list(loop_headers(state))
    if not headers:
        raise CannotResume("next-iteration: there is no loop around the crash in this frame; try skip or return VALUE")
    if not 0 <= number < len(headers):
        raise CannotResume(f"next-iteration: loop {number} of {len(headers)} around the crash")
    point = headers[number][1]
    if point is None:
        raise CannotResume("next-iteration: the header of this loop cannot be entered from here; try jump LINE")
    return _enter(state, point)


def loop_headers(state: FrameState) -> Iterator[tuple[int | None, int | None]]:
    """(slot of the value stack or None for `while`, point of the header) of the loops around, innermost first."""
    points = state.points
    flow = state.protection.flow
    slots = {}
    have = values.cut(flow.before[state.index], own_depth(flow, state.index))  # type: ignore[arg-type]
    for slot, value in enumerate(values.bottom_up(have)):
        if value.kind == values.ITERATOR and value.null == values.NEVER:
            slots[value.index] = slot
    found: list[tuple[tuple[int, int], int | None, int | None]] = []
    for value in points.loops():
        lineno, _end, col, _end_col = points.position(value.index)
        found.append(((lineno or 0, col or 0), slots[value.index], value.index))
    for loop in points.while_loops():
        found.append(((loop.lineno, loop.col), None, points.while_header(loop)))
    found.sort(key=lambda loop: loop[0], reverse=True)
    return ((slot, point) for _where, slot, point in found)


def _jump(state: FrameState, lineno: int) -> Plan:
    point = state.points.line_start(lineno)
    if point is None:
        why = (
            "it is inside another loop or `with` block, whose state does not exist"
            if state.points.line_exists(lineno)
            else "no statement of this function begins there"
        )
        raise CannotResume(f"jump {lineno}: {why}; lines of the same or an enclosing block are possible")
    return _enter(state, point)


def _return(state: FrameState, value: object) -> Plan:
    code = state.protection.original
    if value is not None and (code.co_name == "__init__" or code.co_flags & inspect.CO_ASYNC_GENERATOR):
        raise CannotResume(f"return: {code.co_name} can only return None")
    flow = state.protection.flow
    wrapper = wrapper_target(flow) if code.co_flags & _GENERATORS else -1
    rows = {-1} | {number for number, row in enumerate(flow.instructions.rows) if row[2] == wrapper >= 0}
    return Plan(index=state.index, values=[value], rows=frozenset(rows), returns=True)


_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


# Use.


def _use(state: FrameState, value: object) -> Plan:
    ins = state.protection.flow.instructions
    index, op, arg = state.index, ins.ops[state.index], ins.args[state.index]
    if op in (opcodes.UNPACK_SEQUENCE, opcodes.UNPACK_EX):
        return _at(state, index, [*recipe_for(resources(state), index, 1), NEXT_VALUE], [value])
    if op in (opcodes.POP_JUMP_IF_FALSE, opcodes.POP_JUMP_IF_TRUE):
        return _at(state, index, [*recipe_for(resources(state), index, 1), NEXT_VALUE], [bool(value)])
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
    return _at(state, index, recipe, given, index, "after")


_WITH_NULL = frozenset(
    op for op in (opcodes.LOAD_GLOBAL, opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR, opcodes.GET_ITER) if op >= 0
)


def _no_result(op: int) -> str:
    return f"what failed ({opcodes.OPNAME[op]}) has no single result that could be replaced; try skip or jump LINE"


def _use_entered(state: FrameState, value: object) -> Plan:
    """What `as` gets; the manager counts as entered: its exit will be called."""
    manager = _operand(state, stack_above(state.protection.flow, state.index)[1][-1])
    leave = getattr(type(manager), "__exit__", None)
    if manager is None or leave is None:
        raise CannotResume("use: the context manager is out of reach; go on with skip or jump LINE")
    recipe = [*recipe_for(resources(state), state.index, 1), NEXT_VALUE, NEXT_VALUE]
    return _at(state, state.index, recipe, [leave.__get__(manager, type(manager)), value], state.index, "after")


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
    return _at(state, index, recipe, [None, value], ins.targets[send], "label")


def finished_results(state: FrameState) -> list[values.Value]:
    """Kept results that a retry keeps, in the order in which they were made."""
    return kept_for(state.protection.flow, state.protection.keeps, state.index)
