"""Code object -> its instructions as parallel lists (lists, not objects: functions have 100,000 of them).

In: a code object as the compiler made it. Out: `Instructions`; index = number of the instruction.
Always true: `starts` is strictly increasing, in code units; a jump's `targets` entry is the index of the
instruction that it leads to, -1 for instructions that do not jump.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, compress
from types import CodeType

from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes, tables
from daifu_bc.interpreter.opcodes import EXTENDED_ARG, SIZES


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
    index_of = dict(zip(starts, range(len(starts)), strict=True))
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
    """Opcodes, arguments, starts. Caches are zeros, and no instruction is: dropping those is the work of C loops."""
    codes = raw[::2]
    ops = list(codes.translate(None, _CACHE))
    args = list(compress(raw[1::2], codes))
    starts = list(compress(range(len(codes)), codes))
    if list(accumulate(map(SIZES.__getitem__, ops), initial=0)) != [*starts, len(codes)]:
        raise CannotProtect("its instructions do not have the caches that this Python gives them")
    if EXTENDED_ARG in ops:
        return _with_prefixes(ops, args, starts)
    return ops, args, starts


def _with_prefixes(ops: list[int], args: list[int], starts: list[int]) -> tuple[list[int], list[int], list[int]]:
    """The same, with EXTENDED_ARGs as a part of the instruction behind them."""
    found: tuple[list[int], list[int], list[int]] = ([], [], [])
    done = 0  # everything before is in `found`
    for prefix in [index for index, op in enumerate(ops) if op == EXTENDED_ARG]:
        if prefix < done:
            continue  # the second or third of one instruction
        index, arg = prefix, 0
        while ops[index] == EXTENDED_ARG:
            arg = (arg | args[index]) << 8
            index += 1
        for whole, part in zip(found, (ops, args, starts), strict=True):
            whole += part[done:prefix]
        found[0].append(ops[index])
        found[1].append(args[index] | arg)
        found[2].append(starts[prefix])
        done = index + 1
    for whole, part in zip(found, (ops, args, starts), strict=True):
        whole += part[done:]
    return found


def _jump_targets(
    ops: list[int], args: list[int], starts: list[int], index_of: dict[int, int], end: int
) -> list[int]:
    targets = [-1] * len(ops)
    direction = _DIRECTION
    starts_next = [*starts[1:], end]
    for index in compress(range(len(ops)), map(direction.__getitem__, ops)):
        unit = starts_next[index] + args[index] * direction[ops[index]]
        target = index_of.get(unit, -1)
        if target < 0:
            raise CannotProtect(f"the jump at byte {2 * starts[index]} leads into the middle of an instruction")
        targets[index] = target
    return targets


_CACHE = bytes((opcodes.CACHE,))
_BACKWARD = opcodes.BACKWARD_JUMPS | opcodes.REFERS_BACK
_DIRECTION = [-1 if op in _BACKWARD else 1 if op in opcodes.JUMPS else 0 for op in range(256)]
