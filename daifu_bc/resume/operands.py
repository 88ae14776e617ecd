"""What the operands of the failing instruction are, and what it calls, told without running the program's code.

In: `FrameState`, symbolic values. Out: objects, UNKNOWN for what is out of reach.
Always true: nothing is evaluated: variables, dictionaries and type slots are only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from daifu_bc.analysis import values
from daifu_bc.analysis.recipes import stack_above
from daifu_bc.crash.search_names import UNKNOWN, attribute, in_class, is_class, space_of_frame
from daifu_bc.crash.state import FrameState
from daifu_bc.interpreter import opcodes
from daifu_bc.resume.held import hidden_values, kept_value

_ATTRIBUTE_BITS: Final = {
    "LOAD_ATTR": 1,
    "LOAD_METHOD": 0,
    "LOAD_SUPER_ATTR": 2,
}  # flags below the name's number


@dataclass(frozen=True)
class Callee:
    """What a call calls: `what`, or the method `name` of `owner`."""

    what: object
    owner: object = UNKNOWN
    name: str = ""


def operands(state: FrameState, count: int) -> list[values.Value]:
    """The `count` topmost values that the failing instruction takes, lowest first."""
    return stack_above(state.protection.flow, state.index)[1][-count:] if count else []


def object_of(state: FrameState, value: values.Value) -> object:
    """The object that `value` is: a kept result, or what a variable or plain attribute holds now."""
    if value.kept:
        return kept_value(state, value) if _is_there(state, value) else UNKNOWN
    name = _attribute(state, value)
    if name is not None:
        return attribute(object_of(state, value.operands[0]), name)
    return _variable(state, value)


def _is_there(state: FrameState, value: values.Value) -> bool:
    return value.slot in state.assigned or value.slot in hidden_values(state)


def _variable(state: FrameState, value: values.Value) -> object:
    if value.variable is None:
        return _constant(state, value)
    kind, number = value.variable
    code, space = state.protection.original, space_of_frame(state.frame, state.level.namespace)
    if kind == "name":
        found = space.local(code.co_names[number]) if not _is_global(state, value) else UNKNOWN
        return space.global_(code.co_names[number]) if found is UNKNOWN else found
    names = _slot_names(state)
    return space.local(names[number]) if number < len(names) else UNKNOWN


def _constant(state: FrameState, value: values.Value) -> object:
    ins = state.protection.flow.instructions
    is_constant = opcodes.OPNAME[ins.ops[value.index]] == "LOAD_CONST"
    return state.protection.original.co_consts[ins.args[value.index]] if is_constant else UNKNOWN


def _slot_names(state: FrameState) -> list[str]:
    """The names of a frame's slots, in their order: locals, cells that are no arguments, free variables."""
    code = state.protection.original
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    return [*code.co_varnames, *cells, *code.co_freevars]


def _is_global(state: FrameState, value: values.Value) -> bool:
    return opcodes.OPNAME[state.protection.flow.instructions.ops[value.index]] == "LOAD_GLOBAL"


def _attribute(state: FrameState, value: values.Value) -> str | None:
    """The name of the attribute that `value` reads, None if it reads none."""
    ins = state.protection.flow.instructions
    bits = _ATTRIBUTE_BITS.get(opcodes.OPNAME[ins.ops[value.index]])
    if bits is None or not value.operands:
        return None
    return state.protection.original.co_names[ins.args[value.index] >> bits]


def callee_of(state: FrameState, taken: list[values.Value]) -> Callee:
    """What a call calls whose operands are `taken`."""
    for value in taken[:2]:
        if value.null == values.ALWAYS:
            continue
        name = None if value.kept else _attribute(state, value)
        if name is None:
            return Callee(object_of(state, value))
        owner = object_of(state, value.operands[0])
        return Callee(_method(owner, name), owner, name)
    return Callee(UNKNOWN)


def _method(owner: object, name: str) -> object:
    """`owner.name`, as it lies in the class where it is a method."""
    if owner is UNKNOWN or is_class(owner) or isinstance(owner, ModuleType):
        found = attribute(owner, name)
        return in_class(owner, name) if found is UNKNOWN and is_class(owner) else found
    found = attribute(owner, name)
    return in_class(type(owner), name) if found is UNKNOWN else found


def given_to(value: values.Value) -> Iterator[values.Value]:
    """Values that an operand is made of: itself if it is kept or a variable, else what it is built from."""
    if value.kept or value.kind == opcodes.NAME or value.kind > values.JOIN:
        yield value
        return
    for operand in value.operands:
        yield from given_to(operand)
