"""Code object -> its instructions as parallel lists (lists, not objects: functions have 100,000 of them).

In: a code object as the compiler made it. Out: `Instructions`; index = number of the instruction.
Always true: `starts` is strictly increasing, in code units; a jump's `targets` entry is the index of the
instruction that it leads to, -1 for instructions that do not jump.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from types import CodeType

from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes, tables
from daifu_bc.interpreter.opcodes import CACHES, EXTENDED_ARG


@dataclass(frozen=True, slots=True, eq=False)
class Instructions:
    """Instructions of one code object."""

    code: CodeType
    ops: list[int]
    args: list[int]
    starts: list[int]  # code unit of the first EXTENDED_ARG, or of the instruction itself
    targets: list[int]  # index of the instruction jumped to, or -1
    rows: list[tables.Row]  # exception table, in instruction indices (end exclusive)
    end: int  # code units in all
    plain_methods: bool = False  # methods are loaded as attributes, with a NULL beside, so that they can be kept

    def index_at(self, offset: int) -> int:
        """The instruction that the byte `offset` lies in (prefixes and caches included)."""
        return bisect_right(self.starts, offset // 2) - 1

    def offset_of(self, index: int) -> int:
        """Byte offset of the opcode of instruction `index`."""
        arg = self.args[index]
        prefixes = 0 if arg < 256 else 1 if arg < 65536 else 2 if arg < 16777216 else 3
        return 2 * (self.starts[index] + prefixes)


def decode(code: CodeType, plain_methods: bool = False) -> Instructions:
    """The instructions of `code`."""
    ops, args, starts = _scan(code.co_code)
    index_of = {start: index for index, start in enumerate(starts)}
    end = len(code.co_code) // 2
    targets = _jump_targets(ops, args, starts, index_of, end)
    index_of[end] = len(ops)
    try:
        rows = [
            (index_of[start], index_of[stop], index_of[target], depth, lasti)
            for start, stop, target, depth, lasti in tables.parse_exception_table(code.co_exceptiontable)
        ]
    except KeyError as error:
        raise CannotProtect("the exception table leads into the middle of an instruction") from error
    return Instructions(code, ops, args, starts, targets, rows, end, plain_methods)


def _scan(raw: bytes) -> tuple[list[int], list[int], list[int]]:
    ops: list[int] = []
    args: list[int] = []
    starts: list[int] = []
    add_op, add_arg, add_start = ops.append, args.append, starts.append
    caches = CACHES
    extended = 0
    i = start = 0
    n = len(raw)
    while i < n:
        op = raw[i]
        arg = raw[i + 1] | extended
        i += 2
        if op == EXTENDED_ARG:
            extended = arg << 8
            continue
        add_op(op)
        add_arg(arg)
        add_start(start)
        i += 2 * caches[op]
        start = i >> 1
        extended = 0
    return ops, args, starts


def _jump_targets(
    ops: list[int], args: list[int], starts: list[int], index_of: dict[int, int], end: int
) -> list[int]:
    targets = [-1] * len(ops)
    jumps = opcodes.JUMPS
    backward = opcodes.BACKWARD_JUMPS
    refers = opcodes.REFERS_BACK
    starts_next = [*starts[1:], end]
    for index, op in enumerate(ops):
        if op in jumps or op in refers:
            after = starts_next[index]
            unit = after - args[index] if op in backward or op in refers else after + args[index]
            target = index_of.get(unit, -1)
            if target < 0:
                raise CannotProtect(f"the jump at byte {2 * starts[index]} leads into the middle of an instruction")
            targets[index] = target
    return targets
