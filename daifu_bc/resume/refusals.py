"""Why the failing instruction cannot simply run again: what it would lose, repeat, or meet finished.

In: `FrameState`. Out: a sentence that says what stands in the way and what can be done instead, or None.
Always true: nothing of the program runs and nothing changes; what is out of reach counts as fit to run again.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator

from daifu_bc.analysis import contexts, values
from daifu_bc.analysis.recipes import stack_above
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import Paused
from daifu_bc.interpreter import opcodes
from daifu_bc.resume import consumed
from daifu_bc.resume.held import current_iterator, hidden_values, operand_of
from daifu_bc.resume.iterators import (
    asking_again_loses,
    gave_up_its_source,
    is_finished,
    loop_state,
    loses_an_item,
    what_died,
)
from daifu_bc.resume.signals import raised_by_signal_handler
from daifu_bc.resume.stuck import frame_waits_for_ever, waits_for_ever


def retry_refusal(state: FrameState) -> str | None:
    """Why the failing instruction cannot run again, or None."""
    if isinstance(state.exception, Paused):
        return None  # nothing failed: the line has not begun
    stuck = frame_waits_for_ever(state.frame)
    if stuck is not None:
        return stuck
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
        return (
            "the exception only passes through here on its way out; choose the frame or line where it began"
        )
    if op in (opcodes.FOR_ITER, opcodes.SEND):
        return _dead_iterator(state)
    if op in opcodes.ITERATING_FILLS:
        return _half_filled(state)
    if op in (opcodes.UNPACK_SEQUENCE, opcodes.UNPACK_EX):
        return _half_unpacked(state)
    if op in opcodes.CALLS:
        if raised_by_signal_handler(state.exception, state.frame):
            return "a signal handler raised while this call ran or just as it was done: it may be done; use VALUE"
        return _bad_call(state) or consumed.refusal(state)
    if op == opcodes.WITH_EXCEPT_START:
        return _dead_manager(state)
    return consumed.refusal(state)


def _is_assert(state: FrameState) -> bool:
    """Is this the raise of an `assert`, whose condition can be tested again?"""
    statement = state.points.statement()
    return statement is not None and statement.kind == "Assert"


def _dead_iterator(state: FrameState) -> str | None:
    """Would the loop or await ask something that is finished?"""
    iterator = current_iterator(state)
    dead = what_died(iterator, state.exception)
    if dead is None and is_finished(
        iterator
    ):  # one that has ended does not fail by itself: it died in this failure
        dead = "generator" if inspect.isgenerator(iterator) else "coroutine"
    if dead is not None:
        return (
            f"the {dead} that this waits for raised and is finished for good: asking it again would end it silently; "
            "supply the value with use VALUE, or put a fresh iterator in crash.loops[0].iterator"
        )
    stuck = waits_for_ever(iterator)
    if stuck is not None:
        return stuck
    if gave_up_its_source(iterator):
        return (
            f"the {type(iterator).__name__} has dropped what it takes from and would end in silence; "
            "supply the value with use VALUE, or put a fresh iterator in crash.loops[0].iterator"
        )
    if loses_an_item(iterator, state.exception, state.frame):
        return (
            f"the {type(iterator).__name__} may have taken an item before it failed, which would be lost; "
            "supply the value with use VALUE, or put a fresh iterator in crash.loops[0].iterator"
        )
    if loop_state(iterator, state.exception) == "invalid":
        return "what the loop iterates over changed its size: its iterator only raises; assign crash.loops[0].iterator"
    return None


def next_item_refusal(state: FrameState, slot: int | None, number: int) -> str | None:
    """Why loop `number` around the crash, whose iterator is in `slot`, cannot ask for its next item; or None."""
    if slot is None or slot in state.new_iterators:
        return None
    iterator = state.slot_value(slot)
    stuck = waits_for_ever(iterator)
    if stuck is not None:
        return stuck
    dead = what_died(iterator, state.exception)
    if dead is None and slot == (state.iterator_slots() or [-1])[-1] and _is_header(state):
        if is_finished(iterator):
            dead = "generator"
        elif gave_up_its_source(iterator) or loop_state(iterator, state.exception) == "invalid":
            dead = type(iterator).__name__
    if dead is None:
        return None
    return (
        f"the {dead} that loop {number} asks failed and gives nothing any more: the loop would end in silence; "
        f"put a fresh iterator in crash.loops[{number}].iterator, or go on behind the loop with skip or jump LINE"
    )


def _is_header(state: FrameState) -> bool:
    return state.protection.flow.instructions.ops[state.index] == opcodes.FOR_ITER


def _half_filled(state: FrameState) -> str | None:
    """Would the container take items twice?"""
    _depth, above = stack_above(state.protection.flow, state.index)
    iterable = operand_of(state, above[-1])
    if iterable is None:
        return None
    if _iterates_itself(iterable):
        return asking_again_loses(iterable, state.exception, state.frame)
    if isinstance(iterable, (list, tuple, str, bytes, range, set, frozenset, dict)):
        return None
    if state.protection.flow.instructions.ops[state.index] not in (opcodes.LIST_EXTEND, opcodes.DICT_MERGE):
        return None  # sets and dictionaries take the same items twice without harm
    if not (hasattr(type(iterable), "__iter__") or hasattr(type(iterable), "keys")):
        return None
    return (
        "the container may have taken some of the items before the failure, and would take them twice; "
        "redo runs the statement again from its start"
    )


def _half_unpacked(state: FrameState) -> str | None:
    """Would the unpacking go on behind items that it has taken already?"""
    iterable = operand_of(state, stack_above(state.protection.flow, state.index)[1][-1])
    if iterable is None or not _iterates_itself(iterable):
        return None
    return "items that the unpacking has already taken from the iterator are lost; supply the sequence with use VALUE"


def _iterates_itself(iterable: object) -> bool:
    """Is this an iterator, which goes on where it was?"""
    return hasattr(type(iterable), "__next__")


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
            return (
                "the class body has run and would run again, which redo does; mend what failed, or use VALUE"
            )
        operand = operand_of(state, value)
        stuck = waits_for_ever(operand)
        if stuck is not None:
            return stuck
        dead = what_died(operand, state.exception)
        if dead is not None:
            return (
                f"the {dead} that this asks raised and is finished for good: asking it again would not continue it; "
                "supply the result with use VALUE"
            )
        if value.kept and _is_used_up(state, value):
            return (
                "the call has already taken items from the generator that it was given, and would not get them again; "
                "redo runs the statement again from its start"
            )
    return None


def _is_used_up(state: FrameState, value: values.Value) -> bool:
    """Is this a generator that was begun by the call that it was made for, or made anew of an iterator that was?"""
    if value in state.dropped:
        made_from = [one for one in value.operands if one.kept and one not in state.dropped]
        return any(_iterates_itself(operand_of(state, one)) for one in made_from)
    kept = operand_of(state, value)
    return inspect.isgenerator(kept) and inspect.getgeneratorstate(kept) in (
        inspect.GEN_SUSPENDED,
        inspect.GEN_CLOSED,
    )


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


def _dead_manager(state: FrameState) -> str | None:
    """Would the `with` block be left by an exit that has done part of its work, or is finished?"""
    exits = [slot for slot, kind in enumerate(state.kinds) if kind in (contexts.EXIT, contexts.EXIT_SELF)]
    if exits and _is_exit_stack(state.slot_value(exits[-1])):
        return _HALF_LEFT
    if exits and what_died(state.slot_value(exits[-1]), state.exception) is not None:
        return "the context manager's generator raised and is finished: it cannot be left again; try skip or jump LINE"
    return None


_HALF_LEFT = (
    "the exit stack has taken callbacks off already, which it would not call again; try skip or jump LINE"
)


def _is_exit_stack(leave: object) -> bool:
    """Is this the exit of an ExitStack, or the stack itself?"""
    stack = getattr(leave, "__self__", leave)
    return isinstance(stack, (contextlib.ExitStack, contextlib.AsyncExitStack))
