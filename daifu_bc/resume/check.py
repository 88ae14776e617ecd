"""The last steps before a frame is rebuilt: is this the place, what was edited, which code is entered.

In: a plan, where the exception is now, the snapshot. Out: yes or no, an edited snapshot, the code to enter.
Always true: a name that nobody bound is read by a checking load in the code that is entered (an unchecked one
would kill the interpreter).
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Any

from daifu_bc.analysis.contexts import Context
from daifu_bc.analysis.recipes import kept_in_stack
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import InternalError
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.behavior import GENERATES
from daifu_bc.resume.keeping import kept_from_now
from daifu_bc.resume.plan import Plan
from daifu_bc.resume.snapshot import Snapshot
from daifu_bc.transform import registry
from daifu_bc.transform.protect import checking_twin
from daifu_bc.transform.registry import Protection


def can_begin(chosen: Plan, context: Context, state: FrameState) -> bool:
    """Is the exception at a place from which the plan can be carried out? `context`: that of the barrier it is at.

    The way out only takes slots off the value stack, so what is left below is what the crash had there.
    """
    if chosen.rows is None:
        return context is state.protection.contexts.table[state.context] and not state.moved
    if context.row not in chosen.rows and context.stands_for not in chosen.rows - {-1}:
        return False
    return chosen.returns or state.kinds[: chosen.depth] == context.kinds[: chosen.depth]


def apply_edits(state: FrameState, snapshot: Snapshot, chosen: Plan) -> None:
    """What the developer changed goes into the snapshot; kept results that nobody needs any more go out."""
    protection = state.protection
    code = protection.original
    first_hidden = code.co_nlocals
    numbers = {name: number for number, name in enumerate(code.co_varnames)}
    for name in state.variables.unbound:
        snapshot.variables.pop(numbers.get(name, -1), None)
    for name, value in state.variables.pending.items():
        if name in numbers:
            snapshot.variables[numbers[name]] = value
    for slot, value in state.assigned.items():
        snapshot.variables[first_hidden + slot] = value
    for slot, iterator in state.new_iterators.items():
        if slot < len(snapshot.slots):
            snapshot.slots[slot] = iterator
    needed = kept_in_stack(protection.flow, protection.keeps, chosen.index)
    for slot in range(protection.keeps.slots):
        if slot not in needed:
            snapshot.variables.pop(first_hidden + slot, None)


def code_to_enter(
    running: CodeType, state: FrameState, snapshot: Snapshot, chosen: Plan
) -> tuple[CodeType, Protection, list[tuple[int, int]]]:
    """The protected code that the unfinished procedure goes on in, its record, the recipe for it."""
    base = state.protection.base if state.protection.base is not None else running
    found = _found(base)
    recipe = chosen.recipe
    kept = kept_from_now(state, chosen, base, found)
    if kept is not None:
        base, found, recipe = kept.code, kept.protection, kept.recipe
        kept.move(snapshot)
    if (chosen.side == "label" and not chosen.recipe) or state.variables.unbound:
        empty = frozenset(unchecked_loads(found) - snapshot.variables.keys())
        if empty:
            base = checking_twin(base, found, empty)
            found = _found(base)
    return base, found, recipe


def _found(code: CodeType) -> Protection:
    found = registry.protection_of(code)
    if found is None:
        raise InternalError("the record of a protected code object is gone")
    return found


def unchecked_loads(protection: Protection) -> set[int]:
    """Local slots that some instruction reads without asking whether they are bound."""
    ins = protection.flow.instructions
    limit = protection.original.co_nlocals
    cells = set(protection.cell_numbers)
    found = set()
    for op, arg in zip(ins.ops, ins.args, strict=True):
        if op in opcodes.UNCHECKED_LOADS:
            found.add(arg)
        elif op in opcodes.PAIR_LOADS:
            found |= {arg >> 4, arg & 15}
        elif op == opcodes.STORE_FAST_LOAD_FAST:
            found.add(arg & 15)
    return {number for number in found if number < limit} - cells


def runs_in_prologue(chosen: Plan, protection: Protection) -> bool:
    """Is the failing instruction to be run again, and one that can stand anywhere (no jump, of one piece)?"""
    if chosen.side != "here" or chosen.index != chosen.target or chosen.returns:
        return False
    op = protection.flow.instructions.ops[chosen.index]
    length = protection.after_of[chosen.index] - protection.positions_of[chosen.index]
    return op in opcodes.CALLS and op not in (opcodes.SEND, opcodes.YIELD_VALUE) and length == 1


def position_in(protection: Protection, chosen: Plan) -> int:
    """Instruction of the protected code at which the plan goes on."""
    where = {"here": protection.positions_of, "label": protection.labels_of, "after": protection.after_of}
    return where[chosen.side][chosen.target]


def clear_frame(frame: FrameType) -> None:
    """Drop a finished frame's locals; one that still runs or waits is left alone."""
    if frame.f_code.co_flags & GENERATES and not _refuses_suspended:
        return  # clearing a suspended generator's frame would close it
    try:
        frame.clear()
    except RuntimeError:
        return


def _try_suspended() -> bool:
    suspended: Any = (item for item in (None, None))
    next(suspended)
    try:
        suspended.gi_frame.clear()
    except RuntimeError:
        return True
    return False


_refuses_suspended = _try_suspended()
