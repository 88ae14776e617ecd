"""A restart in a frame -> where to go on, and how the value stack is rebuilt there; or why not.

In: `FrameState`, a restart. Out: `Plan`, or CannotResume with what was asked, what stands in the way, what can
be done.
Always true: nothing is changed; `Crash.can` asks the same question.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from daifu_bc.analysis import contexts, values
from daifu_bc.analysis.contexts import wrapper_target
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.recipes import kept_for, recipe_for
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import CannotResume, Paused
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.behavior import GENERATES
from daifu_bc.restarts.restarts import (
    Jump,
    NextIteration,
    Redo,
    Restart,
    Retry,
    Return,
    Skip,
    Stop,
    Use,
    word_of,
)
from daifu_bc.resume.held import hidden_values, kept_value
from daifu_bc.resume.places import NEXT_VALUE, Plan, at, resources
from daifu_bc.resume.refusals import next_item_refusal, retry_refusal
from daifu_bc.resume.stuck import frame_waits_for_ever
from daifu_bc.resume.supplied import use


def plan(state: FrameState, restart: Restart) -> Plan:
    """Where `restart` leads in this frame. Raises CannotResume, which begins with what was asked."""
    try:
        return _plan(state, restart)
    except CannotResume as reason:
        asked = word_of(restart)
        if str(reason).startswith(asked):
            raise
        raise CannotResume(f"{asked}: {reason}") from None


def _plan(state: FrameState, restart: Restart) -> Plan:
    match restart:
        case Retry():
            return _retry(state)
        case Redo() if isinstance(state.exception, Paused):
            return _retry(state)  # nothing of the statement has run
        case Redo():
            return _redo(state)
        case Skip():
            return _skip(state)
        case NextIteration(loop):
            return _next_iteration(state, loop)
        case Jump(lineno):
            return _jump(state, lineno)
        case Use(value):
            return use(state, value)
        case Return(value):
            return _return(state, value)
        case Stop(error):
            return at(state, state.index, [NEXT_VALUE, (opcodes.RAISE_VARARGS, 1)], [error], side="after")
    raise CannotResume(f"{restart}: this restart is not available")


# Retry.


def _retry(state: FrameState) -> Plan:
    reason = retry_refusal(state)
    if reason is not None:
        raise CannotResume(f"retry: {reason}")
    if state.protection.flow.instructions.ops[state.index] == opcodes.RAISE_VARARGS:
        return _enter(state, _redo_point(state))  # an assert: its condition is tested again
    return at(state, state.index, recipe_for(resources(state), state.index), [])


# The base points of statements: redo, skip, next-iteration, jump.


def _enter(state: FrameState, index: int) -> Plan:
    """Go on at the base point `index`; blocks in between are left first, their `with` and `finally` run."""
    stack = state.protection.flow.before[index]
    rows = _outermost(state).union(state.points.chain(index))
    if state.protection.flow.cover[state.index] == state.protection.flow.cover[index]:
        rows |= {state.protection.flow.cover[state.index]}
    return Plan(index, index, "label", values.depth_of(stack), [], [], rows)  # type: ignore[arg-type]


def _redo(state: FrameState) -> Plan:
    _refuse_to_wait_for_ever(state)
    point = _redo_point(state)
    if point == state.index and state.protection.flow.instructions.ops[point] == opcodes.FOR_ITER:
        return _retry(state)  # a generator expression's header: its source was made elsewhere
    return _enter(state, point)


def _refuse_to_wait_for_ever(state: FrameState) -> None:
    stuck = frame_waits_for_ever(state.frame)
    if stuck is not None:
        raise CannotResume(stuck)


def _redo_point(state: FrameState) -> int:
    point = state.points.statement_start()
    if point is None:
        raise CannotResume("redo: this statement's start cannot be entered from here; try next-iteration or jump LINE")
    return point


def _skip(state: FrameState) -> Plan:
    end = state.points.end_of_statement()
    if end is not None:
        return _flow_on(state, end)
    point = state.points.after_statement()
    if point is None:
        raise CannotResume(
            "skip: what follows this statement (the end of a `with` or `finally`?) cannot be entered from here, or is "
            "not known (is the source file there and unchanged?); use jump LINE"
        )
    return _return(state, None) if point < 0 else _enter(state, point)


def _flow_on(state: FrameState, end: int) -> Plan:
    """Go on at `end`, where control flows by itself. What the crash is in besides is left first: a comprehension
    gives back the names that it took, the first managers of a `with` exit.
    """
    flow = state.protection.flow
    depth = values.depth_of(flow.before[end])  # type: ignore[arg-type]
    inside = [slot for slot, kind in enumerate(state.kinds) if slot >= depth and kind in contexts.NEED_CLEANUP]
    if not inside and not state.moved:
        return Plan(end, end, "label", depth, [], [], None)
    lowest = min(inside, default=len(state.kinds))
    rows = {row for row in state.points.chain(state.index) if row >= 0 and flow.instructions.rows[row][3] <= lowest}
    return Plan(end, end, "label", depth, [], [], _outermost(state).union(state.points.chain(end), rows))


def _next_iteration(state: FrameState, number: int) -> Plan:
    _refuse_to_wait_for_ever(state)
    headers = list(loop_headers(state))
    if not headers:
        raise CannotResume("next-iteration: there is no loop around the crash in this frame; try skip or return VALUE")
    if not 0 <= number < len(headers):
        raise CannotResume(f"next-iteration: loop {number} of {len(headers)} around the crash")
    slot, point = headers[number]
    if point is None:
        raise CannotResume("next-iteration: the header of this loop cannot be entered from here; try jump LINE")
    reason = next_item_refusal(state, slot, number)
    if reason is not None:
        raise CannotResume(f"next-iteration: {reason}")
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
    for value in points.loops():  # innermost first
        lineno, _end, col, _end_col = points.position(value.index)
        found.append(((lineno or 0, col or 0), slots[value.index], value.index))
    for loop in points.while_loops():
        where = (loop.lineno, loop.col)
        around = next((number for number, (header, _, _) in enumerate(found) if header < where), len(found))
        found.insert(around, (where, None, points.while_header(loop)))
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


# Leaving the frame.


def _return(state: FrameState, value: object) -> Plan:
    code = state.protection.original
    if value is not None and (code.co_name == "__init__" or code.co_flags & inspect.CO_ASYNC_GENERATOR):
        raise CannotResume(f"return: {code.co_name} can only return None")
    return Plan(index=state.index, values=[value], rows=_outermost(state), returns=True)


def _outermost(state: FrameState) -> frozenset[int]:
    """The rows at which an exception has left all blocks: none, or the compiler's own around a generator's body."""
    flow = state.protection.flow
    wrapper = wrapper_target(flow) if state.protection.original.co_flags & GENERATES else -1
    rows = (number for number, row in enumerate(flow.instructions.rows) if row[2] == wrapper >= 0)
    return frozenset((-1, *rows))


# What a crash shows of its plans.


def finished_results(state: FrameState) -> list[values.Value]:
    """Kept results that a retry keeps, in the order in which they were made."""
    return kept_for(state.protection.flow, state.protection.keeps, state.index)


__all__ = ["Plan", "finished_results", "hidden_values", "kept_value", "loop_headers", "plan"]
