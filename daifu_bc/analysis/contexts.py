"""Barrier contexts: which slots of the value stack survive a failure of each instruction, and whose handler follows.

In: `Flow`. Out: `Contexts`.
Always true: instructions with the same context have the same kinds of slots below, so one barrier block serves
them all; an instruction that runs the compiler's own exception handling has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daifu_bc.analysis import values
from daifu_bc.analysis.dispatch import Dispatch
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
EXIT: Final = "x"  # of a `with`
EXIT_SELF: Final = "s"  # its self, where that has a slot of its own; may be NULL
SHOWN: Final = frozenset({ITERATOR, EXIT, EXIT_SELF})  # what a barrier shows to the runtime
NEED_CLEANUP: Final = frozenset({NULLABLE, LASTI, PREVIOUS, EXIT, EXIT_SELF})  # more than to be dropped

UNCOVERED: Final = -1
ANYWHERE: Final = -1
PASSING: Final = -2  # a re-raise: the exception was here before and is on its way out
UNMATCHED: Final = -3  # a re-raise behind except clauses that the exception came to without a barrier
STOPITERATION_ERROR: Final = 3  # argument of CALL_INTRINSIC_1 in the handler around a generator's body


@dataclass(frozen=True, slots=True)
class Context:
    """What is below the barrier."""

    kinds: str  # one letter per slot, lowest first
    row: int  # the user's exception-table row that takes over, or -1
    at: int = ANYWHERE  # the instruction, where the traceback does not tell (a bare `raise`), PASSING or UNMATCHED
    stands_for: int = -1  # UNMATCHED: the row that the exception came by


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts of one code object."""

    table: list[Context]
    of: list[int]  # instruction -> index into table, or UNCOVERED
    handled_first: frozenset[int]  # instructions whose exceptions go to except clauses first
    tests: dict[int, tuple[tuple[tuple[int, int], ...], ...]]  # row -> classes of clauses that take it by themselves
    clause_bodies: dict[int, int]  # where such a clause has taken an exception: first instruction of its body -> row


def contexts_of(flow: Flow, dispatches: dict[int, Dispatch]) -> Contexts:
    """Contexts of all instructions. `dispatches`: except clauses that may take an exception before any barrier."""
    return _Contexts(flow, dispatches).find()


def kinds_of(stack: Stack) -> str:
    """One letter per slot, lowest first."""
    return "".join(map(_letter, values.bottom_up(stack)))


def _letter(value: values.Value) -> str:
    if value.kind == values.LASTI:
        return LASTI
    if value.kind == values.PREVIOUS:
        return PREVIOUS
    if value.kind == values.EXIT:
        return EXIT_SELF if value.null else EXIT
    if value.null == values.ALWAYS:
        return NULL
    if value.null == values.MAYBE:
        return NULLABLE
    return ITERATOR if value.kind == values.ITERATOR else VALUE


def kinds_below(flow: Flow, index: int) -> str:
    """Kinds of the slots that belong to the cells around an instruction."""
    return kinds_of(values.cut(flow.before[index], own_depth(flow, index)))  # type: ignore[arg-type]


def wrapper_target(flow: Flow) -> int:
    """The handler that the compiler puts around a generator's body (it turns StopIteration into an error), or -1."""
    ins = flow.instructions
    for index in range(len(ins.ops) - 1, -1, -1):
        if ins.ops[index] == opcodes.CALL_INTRINSIC_1 and ins.args[index] == STOPITERATION_ERROR:
            return index
    return -1


class _Contexts:
    def __init__(self, flow: Flow, dispatches: dict[int, Dispatch]) -> None:
        self.flow = flow
        self.dispatches = dispatches
        self.unmatched = {one.unmatched: row for row, one in dispatches.items() if one.unmatched >= 0}
        self.table: list[Context] = []
        self.numbers: dict[Context, int] = {}
        self.by_cell: dict[tuple[int, int, int, int], int] = {}

    def find(self) -> Contexts:
        ops, before = self.flow.instructions.ops, self.flow.before
        # An exception that goes on behind an `async for` is met again: something may have been decided about it.
        never = (opcodes.NEVER_COVERED | {opcodes.RESUME}) - {opcodes.END_ASYNC_FOR}
        of = [UNCOVERED] * len(ops)
        wrapper = wrapper_target(self.flow)
        starts_as_function = ops.index(opcodes.RETURN_GENERATOR) if opcodes.RETURN_GENERATOR in ops else -1
        others = []
        handled_first = set()
        for index, op in enumerate(ops):
            if before[index] is UNREACHED or op in never or index <= starts_as_function:
                continue
            if wrapper >= 0 and wrapper <= index <= wrapper + 1:
                continue
            if op == opcodes.END_ASYNC_FOR and self._is_too_deep(index):
                continue
            if self._goes_first(index):
                handled_first.add(index)
            elif RAISES[op]:
                of[index] = self._context(index, make=True)
            else:
                others.append(index)
        for index in others:
            of[index] = self._context(index, make=False)
        tests = {row: one.tests for row, one in self.dispatches.items()}
        bodies = {body: row for row, one in self.dispatches.items() for body in one.bodies}
        return Contexts(self.table, of, frozenset(handled_first), tests, bodies)

    def _is_too_deep(self, index: int) -> bool:
        """Does the handler want slots that the loop takes with it? (A generator expression's iterator on 3.15.)"""
        row = self.flow.cover[index]
        return row >= 0 and self.flow.instructions.rows[row][3] > own_depth(self.flow, index)

    def _goes_first(self, index: int) -> bool:
        """Do exceptions of this instruction go to except clauses before any barrier?"""
        row = self.flow.cover[index]
        dispatch = self.dispatches.get(row)
        if dispatch is None:
            return False
        return dispatch.catches_all or own_depth(self.flow, index) == self.flow.instructions.rows[row][3]

    def _context(self, index: int, make: bool) -> int:
        depth = own_depth(self.flow, index)
        cell = values.cut(self.flow.before[index], depth) if depth else None  # type: ignore[arg-type]
        row = self.flow.cover[index]
        at = self._at(index) if self.flow.instructions.ops[index] in _MEETS_AGAIN else ANYWHERE
        key = (id(cell), depth, row, at if at != UNMATCHED else -3 - index)
        known = self.by_cell.get(key)
        if known is not None:
            return known
        stands_for = self.unmatched.get(index, -1) if at == UNMATCHED else -1
        context = Context(kinds_of(cell), row, at, stands_for)
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
            return UNMATCHED if index in self.unmatched else PASSING
        if ins.ops[index] == opcodes.RAISE_VARARGS and ins.args[index] == 0:
            return index
        return ANYWHERE


_MEETS_AGAIN = opcodes.RERAISES | {opcodes.RAISE_VARARGS}
