"""Barrier contexts: which slots of the value stack survive a failure of each instruction, and whose handler follows.

In: `Flow`. Out: `Contexts`.
Always true: instructions with the same context have the same kinds of slots below, so one barrier block serves
them all; an instruction that runs the compiler's own exception handling has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daifu_bc.analysis import values
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.values import Stack
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import RAISES

# Kinds of slots, one letter each.
VALUE: Final = "v"
ITERATOR: Final = "i"
NULL: Final = "0"
NULLABLE: Final = "?"
LASTI: Final = "l"
PREVIOUS: Final = "p"

UNCOVERED: Final = -1
ANYWHERE: Final = -1
PASSING: Final = -2  # a re-raise: the exception was here before and is on its way out
STOPITERATION_ERROR: Final = 3  # argument of CALL_INTRINSIC_1 in the handler around a generator's body


@dataclass(frozen=True, slots=True)
class Context:
    """What is below the barrier."""

    kinds: str  # one letter per slot, lowest first
    row: int  # the user's exception-table row that takes over, or -1
    at: int = ANYWHERE  # the instruction, where the traceback does not tell (a bare `raise`), or PASSING


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts of one code object."""

    table: list[Context]
    of: list[int]  # instruction -> index into table, or UNCOVERED


def contexts_of(flow: Flow) -> Contexts:
    """Contexts of all instructions."""
    return _Contexts(flow).find()


def kinds_of(stack: Stack) -> str:
    """One letter per slot, lowest first."""
    return "".join(map(_letter, values.bottom_up(stack)))


def _letter(value: values.Value) -> str:
    if value.kind == values.LASTI:
        return LASTI
    if value.kind == values.PREVIOUS:
        return PREVIOUS
    if value.null == values.ALWAYS:
        return NULL
    if value.null == values.MAYBE:
        return NULLABLE
    return ITERATOR if value.kind == values.ITERATOR else VALUE


def wrapper_target(flow: Flow) -> int:
    """The handler that the compiler puts around a generator's body (it turns StopIteration into an error), or -1."""
    ins = flow.instructions
    for index in range(len(ins.ops) - 1, -1, -1):
        if ins.ops[index] == opcodes.CALL_INTRINSIC_1 and ins.args[index] == STOPITERATION_ERROR:
            return index
    return -1


class _Contexts:
    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.table: list[Context] = []
        self.numbers: dict[Context, int] = {}
        self.by_cell: dict[tuple[int, int, int, int], int] = {}

    def find(self) -> Contexts:
        ops, before = self.flow.instructions.ops, self.flow.before
        never = opcodes.NEVER_COVERED | {opcodes.RESUME}
        of = [UNCOVERED] * len(ops)
        wrapper = wrapper_target(self.flow)
        starts_as_function = ops.index(opcodes.RETURN_GENERATOR) if opcodes.RETURN_GENERATOR in ops else -1
        others = []
        for index, op in enumerate(ops):
            if before[index] is UNREACHED or op in never or index <= starts_as_function:
                continue
            if wrapper >= 0 and wrapper <= index <= wrapper + 1:
                continue
            if RAISES[op]:
                of[index] = self._context(index, make=True)
            else:
                others.append(index)
        for index in others:
            of[index] = self._context(index, make=False)
        return Contexts(self.table, of)

    def _context(self, index: int, make: bool) -> int:
        depth = own_depth(self.flow, index)
        cell = values.cut(self.flow.before[index], depth)  # type: ignore[arg-type]
        row = self.flow.cover[index]
        at = self._at(index)
        key = (id(cell), depth, row, at)
        known = self.by_cell.get(key)
        if known is not None:
            return known
        context = Context(kinds_of(cell), row, at)
        number = self.numbers.get(context, UNCOVERED)
        if number == UNCOVERED:
            if not make:
                return UNCOVERED
            number = len(self.table)
            self.table.append(context)
            self.numbers[context] = number
        self.by_cell[key] = number
        return number

    def _at(self, index: int) -> int:
        ins = self.flow.instructions
        if ins.ops[index] in opcodes.RERAISES:
            return PASSING
        if ins.ops[index] == opcodes.RAISE_VARARGS and ins.args[index] == 0:
            return index
        return ANYWHERE
