"""Recipes: instructions that rebuild the value stack above the cells' slots before a resume point.

In: `Flow`, `Keeps`, an instruction. Out: (opcode, argument) pairs, arguments as in the protected code.
Always true: names are read afresh, kept results are loaded from their hidden locals, operators that were not
kept are evaluated again; nothing that finished runs twice unless its kept result was dropped on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from daifu_bc.analysis import values
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.keeps import Keeps, own_depth
from daifu_bc.analysis.values import Value
from daifu_bc.errors import CannotResume
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import EFFECT

Emitted = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a recipe may use."""

    flow: Flow
    keeps: Keeps
    dropped: Collection[Value]  # kept results that the developer dropped: evaluated again
    bound_hidden: Collection[int]  # hidden locals (by number) that hold a value
    slot: Callable[[int], int]  # local slot in the original -> in the protected code


def stack_above(flow: Flow, index: int) -> tuple[int, list[Value]]:
    """Own depth of `index`, and the values above it, lowest first."""
    stack = flow.before[index]
    if stack is UNREACHED:
        raise CannotResume("this instruction is never reached")
    depth = own_depth(flow, index)
    return depth, values.bottom_up(stack)[depth:]  # type: ignore[arg-type]


def recipe_for(resources: Resources, index: int, operands_given: int = 0) -> list[Emitted]:
    """Rebuild what is above the cells' slots before `index`; its top `operands_given` slots are left out."""
    depth, above = stack_above(resources.flow, index)
    if operands_given:
        above = above[: len(above) - operands_given]
    writer = _Writer(resources, index, depth)
    writer.slots(above)
    ops = resources.flow.instructions.ops
    if index and ops[index - 1] == opcodes.KW_NAMES and not operands_given:
        writer.out.append((opcodes.KW_NAMES, resources.flow.instructions.args[index - 1]))
    return writer.out


class _Writer:
    def __init__(self, resources: Resources, index: int, depth: int) -> None:
        self.res = resources
        self.ins = resources.flow.instructions
        self.consumed = resources.keeps.operands.get(index, {})
        self.depth = depth
        self.out: list[Emitted] = []

    def slots(self, above: list[Value]) -> None:
        position = 0
        while position < len(above):
            value = above[position]
            kept_exit = self.consumed.get(self.depth + position)
            if kept_exit is not None:
                self._load_exit(kept_exit)
            elif self._is_pair(above, position):
                self._instruction(value)
                position += 1
            else:
                self.value(value)
            position += 1

    def _is_pair(self, above: list[Value], position: int) -> bool:
        value = above[position]
        if value.kept or value.outs != 2 or value.out != 0 or position + 1 == len(above):
            return False
        following = above[position + 1]
        return (
            following.index == value.index
            and following.out == 1
            and not following.kept
            and self.ins.ops[value.index] in _METHOD_LOADS
        )

    def _load_exit(self, value: Value) -> None:
        if value.slot in self.res.bound_hidden:
            self.out.append((opcodes.LOAD_FAST, self._hidden(value)))
        elif value.null:
            self.out.append((opcodes.PUSH_NULL, 0))
        else:
            raise CannotResume(_GONE)

    def _hidden(self, value: Value) -> int:
        return self.ins.code.co_nlocals + value.slot

    def value(self, value: Value, finished: bool = False) -> None:
        """Push `value`. `finished`: for a call that is run again though it was done."""
        if value.kept and value not in self.res.dropped:
            if value.slot not in self.res.bound_hidden:
                raise CannotResume(_DROPPED if self.res.dropped else _GONE)
            self.out.append((opcodes.LOAD_FAST, self._hidden(value)))
            return
        if value.null == values.ALWAYS:
            self.out.append((opcodes.PUSH_NULL, 0))
            return
        if value.variable is not None and not (value.hold and not value.kept):
            if finished and value.stale:
                raise CannotResume(_DROPPED)
            self._read(value)
            return
        again = value.kept and value.outs == 1 and value.operands
        if value.kind >= values.JOIN or value.outs > 1 or (value.kind == EFFECT and not again):
            raise CannotResume(_DROPPED if self.res.dropped else _ONCE)
        self._instruction(value, finished or bool(again and value.kind == EFFECT))
        if value.kept:
            self.out += [(opcodes.COPY, 1), (opcodes.STORE_FAST, self._hidden(value))]

    def _read(self, value: Value) -> None:
        op, arg = self.ins.ops[value.index], self.ins.args[value.index]
        assert value.variable is not None
        kind, number = value.variable
        if kind == "fast":
            # Always a checking load: what the compiler proved bound need not be, after a jump, a skip or an edit.
            self.out.append((opcodes.LOAD_FAST_CHECK, self.res.slot(number)))
        elif op == opcodes.LOAD_GLOBAL:
            self.out.append((op, arg & ~1))
        elif kind == "deref":
            self.out.append((op, self.res.slot(arg)))
        else:
            self.out.append((op, arg))

    def _instruction(self, value: Value, finished: bool = False) -> None:
        """Push the operands, then the instruction that made `value`."""
        for operand in value.operands:
            self.value(operand, finished)
        op, arg = self.ins.ops[value.index], self.ins.args[value.index]
        if op in opcodes.SLOT_ARGUMENTS:
            arg = self.res.slot(arg)
        if value.index and self.ins.ops[value.index - 1] == opcodes.KW_NAMES:
            self.out.append((opcodes.KW_NAMES, self.ins.args[value.index - 1]))
        if op == opcodes.GET_ITER and behavior.iteration_is_virtual:
            raise CannotResume("the loop's iterator cannot be made again from here")
        self.out.append((op, arg))
        for _ in range(value.peeks):
            self.out.append((opcodes.SWAP, 2))
            self.out.append((opcodes.POP_TOP, 0))


_METHOD_LOADS = frozenset(
    op for op in (opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR, opcodes.LOAD_SPECIAL) if op >= 0
)


_GONE = (
    "results that this statement had finished are not there any more, since a handler or a `finally` has run; "
    "redo runs the statement again from its start"
)
_ONCE = (
    "a value that this statement has already computed cannot be computed again from here; "
    "redo runs the statement again from its start"
)
_DROPPED = (
    "an entry that was deleted from crash.finished cannot be evaluated again by itself, since what it was made from is "
    "not kept; assign its .result instead, or redo the statement from its start"
)


def kept_for(flow: Flow, keeps: Keeps, index: int) -> list[Value]:
    """Results that a retry of `index` keeps, in the order in which they were made.

    Not what the statement's own machinery keeps (half-built containers, awaited iterators): whoever assigned to
    those, or dropped them, would kill the interpreter or lose items.
    """
    found: list[Value] = []
    ops = flow.instructions.ops

    # (No function that calls itself: one made in here is a cycle, which only the collector frees.)
    waiting = list(stack_above(flow, index)[1])
    while waiting:
        value = waiting.pop()
        if not value.kept:
            waiting += value.operands
        elif value not in found and value.kind != values.JOIN and ops[value.index] in opcodes.GIVES_RESULT:
            found.append(value)
    return sorted(found, key=lambda value: (value.index, value.out))


def kept_in_stack(flow: Flow, keeps: Keeps, index: int) -> set[int]:
    """Hidden locals whose values the stack before `index` still needs, slots of outer cells included."""
    stack = flow.before[index]
    found = {value.slot for value in keeps.operands.get(index, {}).values()}
    if stack is UNREACHED:
        return found

    waiting = list(values.top_down(stack))  # type: ignore[arg-type]
    while waiting:
        value = waiting.pop()
        if value.kept:
            found.add(value.slot)
        elif value.kind < values.JOIN:
            waiting += value.operands
    return found
