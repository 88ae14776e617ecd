"""Operands, found backwards: what an instruction takes from the value stack.

In: a code object's Reader, the offset of an instruction. Out: symbols; None where different values meet
or the value is computed. Used for the expression of a `with` (which lies before the handler that asks
for it) and for the operand of a `raise`.
Always true: the search goes back along one real path, so stack depths add up; it ends at the window's start.
"""

from __future__ import annotations

from typing import Final

from daifu_bc.crash.handlers_nodes import With
from daifu_bc.crash.handlers_reading import Instruction, Reader
from daifu_bc.crash.handlers_symbols import NULL, Called, Name, SuperAttribute, Symbol, TupleOf
from daifu_bc.interpreter.opcodes import NO_FALLTHROUGH, pops, pushes

_BEFORE_WITH: Final = {"BEFORE_WITH": False, "BEFORE_ASYNC_WITH": True}
_NEAR: Final = 20  # instructions between the expression of a `with` and its body, at most
_DEEP: Final = 30  # nesting of expressions that is followed


def operand(reader: Reader, offset: int, position: int) -> Symbol | None:
    """What slot `position` (0: top) holds before the instruction at `offset`."""
    start = reader.at(offset).offset if offset < len(reader.raw) else offset
    return _Backwards(reader, start).find(start, position)


def result_of(reader: Reader, offset: int) -> Symbol | None:
    """What the instruction at `offset` gives: a call's callee and arguments."""
    step = reader.at(offset)
    return operand(reader, step.end, 0)


def with_of(reader: Reader, handler: int) -> With:
    """The `with` statement whose handler begins at byte `handler`."""
    for start, _end, target, _depth, _lasti in reader.rows:
        if 2 * target != handler:
            continue
        entered = _enters(reader, 2 * start)
        if entered is not None:
            at, is_async = entered
            return With(operand(reader, at, 0), _target(reader, 2 * start), is_async, handler)
    return With(None, None, False, handler)


def _enters(reader: Reader, body: int) -> tuple[int, bool] | None:
    """Where a `with` takes its context manager from the stack, looking back from its body; is it async?"""
    awaited = specials = 0
    for step in reversed(reader.window(body)[-_NEAR:]):
        if step.name in _BEFORE_WITH:
            return step.offset, _BEFORE_WITH[step.name]
        if step.name == "LOAD_SPECIAL":
            specials += 1
            if specials == 2:  # __exit__ is looked up first
                return step.offset, awaited > 0
        awaited += step.name == "GET_AWAITABLE"
    return None


def _target(reader: Reader, body: int) -> Name | None:
    step = reader.at(body)
    if step.name in ("STORE_FAST", "STORE_DEREF", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST"):
        return Name("local", reader.stored(step)[0])
    if step.name in ("STORE_NAME", "STORE_GLOBAL"):
        return Name("name", reader.stored(step)[0])
    return None


class _Backwards:
    def __init__(self, reader: Reader, end: int) -> None:
        self.reader = reader
        self.steps = reader.window(end)
        self.index_of = {step.offset: index for index, step in enumerate(self.steps)}
        self.index_of[end] = len(self.steps)
        self.jumps_to: dict[int, list[int]] = {}
        for index, step in enumerate(self.steps):
            if step.target >= 0:
                self.jumps_to.setdefault(step.target, []).append(index)
        self.end = end
        self.budget = 4000

    def find(self, offset: int, position: int, nesting: int = 0) -> Symbol | None:
        index: int | None = self.index_of[offset]
        while index is not None and nesting < _DEEP:
            before = self._before(index, position)
            if before is None:
                return None
            index = before
            step = self.steps[index]
            if step.name == "COPY" and position == 0:
                position = step.arg - 1
            elif step.name == "COPY":
                position -= 1
            elif step.name == "SWAP" and position in (0, step.arg - 1):
                position = step.arg - 1 - position
            elif step.name != "SWAP":
                made = pushes(step.op, step.arg)
                if position < made:
                    return self._made(step, made - 1 - position, nesting + 1)
                position += pops(step.op, step.arg) - made
        return None

    def _before(self, index: int, position: int) -> int | None:
        """The instruction that ran before, on one path; None where paths meet with the slot on top."""
        self.budget -= 1
        offset = self.steps[index].offset if index < len(self.steps) else self.end
        jumps = self.jumps_to.get(offset, [])
        falls = index > 0 and self.steps[index - 1].op not in NO_FALLTHROUGH
        if len(jumps) + falls > 1 and position == 0:
            return None
        if falls:
            return index - 1
        return jumps[0] if jumps and self.budget > 0 else None

    def _made(self, step: Instruction, output: int, nesting: int) -> Symbol | None:
        """Output number `output` (from the bottom) of an instruction."""
        loaded = self.reader.loaded(step)
        if loaded is not None:
            return loaded[output]
        if step.name == "LOAD_ATTR":
            return self.reader.attribute(step, self.find(step.offset, 0, nesting)) if output == 0 else None
        if step.name == "LOAD_SUPER_ATTR":
            return SuperAttribute(self.reader.code.co_names[step.arg >> 2]) if output == 0 else None
        if step.name == "PUSH_NULL":
            return NULL
        if step.name == "BUILD_TUPLE":
            return TupleOf(self._operands(step, step.arg, nesting))
        if step.name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX"):
            return self._call(step, nesting)
        return None

    def _call(self, step: Instruction, nesting: int) -> Symbol | None:
        lowest = pops(step.op, step.arg) - 1
        callee = self.find(step.offset, lowest, nesting)
        if callee is None or callee == NULL:
            callee = self.find(step.offset, lowest - 1, nesting)
        if callee is None or callee == NULL:
            return None
        known = step.name == "CALL"
        return Called(callee, self._operands(step, step.arg, nesting) if known else (None,))

    def _operands(self, step: Instruction, count: int, nesting: int) -> tuple[Symbol | None, ...]:
        return tuple(self.find(step.offset, count - 1 - number, nesting) for number in range(count))
