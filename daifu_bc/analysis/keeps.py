"""Which results are kept in hidden locals, so that a retry runs nothing twice.

In: `Flow`. Out: `Keeps` (analysis.placement finds where each is stored and dropped).
Always true: an effect's result is kept if an instruction that can raise still needs it; an operator's if a call
follows in the same statement (or always, with keep="all"); a join, where two paths left different values, at the join.
"""

from __future__ import annotations

from daifu_bc.analysis import values
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.placement import Keeps, Placement
from daifu_bc.analysis.values import Stack, Value
from daifu_bc.interpreter import opcodes
from daifu_bc.interpreter.opcodes import EFFECT, OPERATOR, RAISES


def own_depth(flow: Flow, index: int) -> int:
    """How many lowest slots a handler of instruction `index` can keep: those of the cells it is in."""
    stack = flow.before[index]
    if stack is None:
        return 0
    owned: int = stack[3]  # type: ignore[index]
    row = flow.cover[index]
    if row >= 0 and flow.instructions.rows[row][3] > owned:
        owned = flow.instructions.rows[row][3]
    op = flow.instructions.ops[index]
    count = opcodes.POPS[op]
    if count is None:
        count = opcodes.pops(op, flow.instructions.args[index])
    left: int = stack[2] - count  # type: ignore[index]
    return owned if owned < left else left


_NONE: frozenset[int] = frozenset()


def keeps_of(flow: Flow, keep_all: bool, spared: frozenset[int] = _NONE, also: frozenset[int] = _NONE) -> Keeps:
    """Decide what is kept. `spared`: instructions for which nothing is; `also`: those whose result is in any case."""
    return _Decision(flow, keep_all, spared | _looking_at_locals(flow), also).decide()


def _looking_at_locals(flow: Flow) -> frozenset[int]:
    """Instructions of statements that call locals, vars, dir, eval or exec: they would see hidden locals."""
    code = flow.instructions.code
    if not opcodes.LOOKS_AT_LOCALS & set(code.co_names):
        return frozenset()
    found: set[int] = set()
    ops, args = flow.instructions.ops, flow.instructions.args
    for index, op in enumerate(ops):
        if op == opcodes.LOAD_GLOBAL:
            name = code.co_names[args[index] >> 1]
        elif op == opcodes.LOAD_NAME:
            name = code.co_names[args[index]]
        else:
            continue
        if name in opcodes.LOOKS_AT_LOCALS:
            found.update(_around(flow, index))
    return frozenset(found)


def _around(flow: Flow, index: int) -> range:
    """The instructions before and after `index` in whose course the value stack is not empty of temporaries."""
    first = index
    while first > 0 and not _is_bare(flow, first):
        first -= 1
    last = index + 1
    while last < len(flow.before) and not _is_bare(flow, last):
        last += 1
    return range(first, last)


def _is_bare(flow: Flow, index: int) -> bool:
    stack = flow.before[index]
    return stack is UNREACHED or stack is None or stack[2] == stack[3]  # type: ignore[index]


class _Decision:
    """Which values are kept, from what each instruction that can raise needs."""

    def __init__(self, flow: Flow, keep_all: bool, spared: frozenset[int], also: frozenset[int]) -> None:
        self.flow = flow
        self.also = also
        self.keep_all = keep_all
        self.spared = spared
        self.keeps = Keeps()
        self.exits: dict[int, list[tuple[int, Value]]] = {}  # instruction -> (stack index, a cell's slot it consumes)

    def decide(self) -> Keeps:
        self._find_needs()
        if self.keeps.kept or self.exits:
            Placement(self.flow, self.keeps, self.exits).place()
        return self.keeps

    def _find_needs(self) -> None:
        """Mark what each instruction that can raise needs to run again."""
        ops, before = self.flow.instructions.ops, self.flow.before
        raises, calls, uncovered = RAISES, opcodes.CALLS, opcodes.NEVER_COVERED | opcodes.EXITS | {opcodes.RESUME}
        found: list[tuple[int, Stack]] = []
        for index, op in enumerate(ops):
            if not raises[op] or (op in uncovered and op != opcodes.YIELD_VALUE) or index in self.spared:
                continue
            stack = before[index]
            if stack is UNREACHED or stack is None:
                continue
            depth, owned = stack[2], stack[3]  # type: ignore[index]
            if depth == owned and op not in calls and op not in _CONSUME_OWNED:
                continue
            if op == opcodes.YIELD_VALUE:
                stack = stack[1]  # type: ignore[index]  # a yield is not tried again: its operand is not needed
            if op in calls:
                _mark_feeding(stack, own_depth(self.flow, index))  # type: ignore[arg-type]
            found.append((index, stack))  # type: ignore[arg-type]
        for index, stack in found:
            self._need_above(index, stack)

    def _need_above(self, index: int, stack: Stack) -> None:
        """Values above the cells' slots are needed; a cell's own slot that the instruction consumes is noted."""
        bottom = own_depth(self.flow, index)
        while stack is not None and stack[2] > bottom:
            value, position = stack[0], stack[2]
            if position <= stack[3] and value.kind >= values.ITERATOR:
                self.exits.setdefault(index, []).append((position - 1, value))
            else:
                self._need(value)
            stack = stack[1]

    def _need(self, value: Value) -> None:
        """Keep `value` if it cannot simply be made again, else need what it is made from."""
        if value.needed:
            return
        value.needed = True
        kind = value.kind
        computed = kind == OPERATOR and (value.feeds or self.keep_all) and RAISES[self._op(value)]
        supplied = value.index in self.also
        if kind == EFFECT or value.hold or computed or supplied or self._is_attribute(value):
            if value.null == values.NEVER:
                value.kept = True
                self.keeps.kept.append(value)
            return
        for operand in value.operands:
            self._need(operand)

    def _is_attribute(self, value: Value) -> bool:
        """With keep="all", attributes are kept too: reading one may run a property."""
        return self.keep_all and self._op(value) in _ATTRIBUTES

    def _op(self, value: Value) -> int:
        return self.flow.instructions.ops[value.index]


def _mark_feeding(stack: Stack, bottom: int) -> None:
    """Everything above the cells' slots at a call is what the call takes, or waits while it happens."""
    while stack is not None and stack[2] > bottom:
        _feed(stack[0])
        stack = stack[1]


def _feed(value: Value) -> None:
    if not value.feeds:
        value.feeds = True
        for operand in value.operands:
            _feed(operand)


_ATTRIBUTES = frozenset((opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR, opcodes.IMPORT_FROM))
_CONSUME_OWNED = opcodes.CALLS | frozenset(
    op for op in (opcodes.CHECK_EG_MATCH, opcodes.CALL_INTRINSIC_2) if op >= 0
)


__all__ = ["Keeps", "keeps_of", "own_depth"]
