"""Symbolic execution of a code object: what is on the value stack before each instruction.

In: `Instructions`. Out: `Flow`.
Always true: `before[i]` is the stack before instruction i with loops' iterators already marked as owned, or
UNREACHED; the same depth arrives on every path (else the code is not the compiler's: CannotProtect).

Instructions are visited in the order of their offsets, which is the order in which the compiler laid them out:
forward jumps wait for their target, a backward jump finds its target visited. A second round is made only for
blocks that are entered backwards alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daifu_bc.analysis import values
from daifu_bc.analysis.effects import EFFECTS_OF
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import Stack, Value, push
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes


class _Unreached:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNREACHED"


UNREACHED: Final = _Unreached()
State = Stack | _Unreached


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Value stacks of a code object."""

    instructions: Instructions
    before: list[State]
    cover: list[int]  # the (first) exception-table row with the handler of an instruction, or -1


def flow_of(instructions: Instructions) -> Flow:
    """Run `instructions` symbolically."""
    return _Interpreter(instructions).run()


class _Interpreter:
    def __init__(self, instructions: Instructions) -> None:
        self.ins = instructions
        count = len(instructions.ops)
        self.before: list[State] = [UNREACHED] * count
        self.cover = [-1] * count
        first: dict[tuple[int, int, bool], int] = {}  # one number for all rows that lead to the same handler
        for number, (start, end, target, depth, lasti) in enumerate(instructions.rows):
            number = first.setdefault((target, depth, lasti), number)
            self.cover[start:end] = [number] * (end - start)
        self.waiting: dict[int, Stack] = {0: None}
        self.entered_backwards = False
        self.handlers_seen: set[int] = set()

    def run(self) -> Flow:
        while self.waiting:
            self._round()
        return Flow(self.ins, self.before, self.cover)

    def _round(self) -> None:
        before, waiting, cover = self.before, self.waiting, self.cover
        ops, args, targets = self.ins.ops, self.ins.args, self.ins.targets
        no_fallthrough, effects = opcodes.NO_FALLTHROUGH, EFFECTS_OF
        state: State = UNREACHED
        for index in range(min(waiting), len(ops)):
            if index in waiting:
                arrived = waiting.pop(index)
                if state is UNREACHED:
                    state = arrived
                elif state is not arrived:
                    state = _join(state, arrived, index)  # type: ignore[arg-type]
            if before[index] is not UNREACHED:
                state = UNREACHED  # an earlier round was here and went on
                continue
            if state is UNREACHED:
                continue
            op = ops[index]
            move = effects[op]
            prepared, after, jumped = move(op, args[index], index, state, self.ins)  # type: ignore[arg-type]
            before[index] = prepared
            row = cover[index]
            if row >= 0 and row not in self.handlers_seen:
                self._enter_handler(row, prepared)
            target = targets[index]
            if target >= 0 and op not in opcodes.REFERS_BACK:
                self._arrive(target, jumped, index)
            state = UNREACHED if op in no_fallthrough else after

    def _arrive(self, target: int, stack: Stack, index: int) -> None:
        known = self.before[target]
        if known is not UNREACHED:
            if values.depth_of(known) != values.depth_of(stack):  # type: ignore[arg-type]
                raise CannotProtect(f"two paths reach instruction {target} with different value stacks")
        elif target in self.waiting:
            if self.waiting[target] is not stack:
                self.waiting[target] = _join(self.waiting[target], stack, target)
        else:
            self.waiting[target] = stack

    def _enter_handler(self, row: int, stack: Stack) -> None:
        start, _end, target, depth, lasti = self.ins.rows[row]
        if values.depth_of(stack) < depth:
            return  # an instruction that cannot raise, before the slots are there
        self.handlers_seen.add(row)
        entered = values.cut(stack, depth)
        if lasti:
            entered = push(entered, Value(target, values.LASTI))
        self._arrive(target, push(entered, Value(target, values.HANDLED)), start)


def _join(one: Stack, other: Stack, index: int) -> Stack:
    """The stack after two paths meet at `index`; slots that differ become joins."""
    if values.depth_of(one) != values.depth_of(other):
        raise CannotProtect(f"two paths reach instruction {index} with different value stacks")
    differing: list[tuple[Value, Value]] = []
    while one is not other:
        assert one is not None and other is not None
        differing.append((one[0], other[0]))
        one, other = one[1], other[1]
    joined = one
    for first, second in reversed(differing):
        joined = push(joined, first if first is second else _joined_value(first, second, index))
    return joined


def _joined_value(first: Value, second: Value, index: int) -> Value:
    if first.kind in values.OWNED_KINDS and second.kind == first.kind:
        return first
    if first.kind == values.JOIN and first.index == index:
        return first
    null = first.null if first.null == second.null else values.MAYBE
    joined = Value(index, values.JOIN, (first, second), null=null)
    joined.hold = True
    return joined


__all__ = ["UNREACHED", "Flow", "flow_of"]
