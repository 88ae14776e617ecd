"""What a crashed frame holds in the middle of its statement: kept results, operands, the iterator it asks.

In: `FrameState`, a symbolic value. Out: the object, or None where it is out of reach.
Always true: nothing is evaluated; names are only looked up in the frame's own variables.
"""

from __future__ import annotations

from daifu_bc.analysis import values
from daifu_bc.crash.frame_slots import hidden_values as read_hidden
from daifu_bc.crash.state import FrameState
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import ITER_SLOTS


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


def operand_of(state: FrameState, value: values.Value) -> object:
    """An operand of the failing instruction: a kept result or a local variable; None for anything else."""
    if value.kept:
        return kept_value(state, value)
    if value.variable is not None and value.variable[0] == "fast":
        names = state.protection.original.co_varnames
        if value.variable[1] < len(names):
            return state.variables.get(names[value.variable[1]])
    return None
