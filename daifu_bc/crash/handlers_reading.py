"""One code object, read a little at a time: functions have 100,000 instructions, handlers a dozen.

In: a code object as the compiler made it. Out: instructions at byte offsets, exception-table rows over them.
Always true: offsets are in bytes; any byte of an instruction stands for it, prefixes and caches included.
"""

from __future__ import annotations

import opcode
from bisect import bisect_right
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from types import CodeType
from typing import Final

from daifu_bc.crash.handlers_symbols import NULL, Attribute, Name, Symbol, constant
from daifu_bc.interpreter import behavior, tables
from daifu_bc.interpreter.opcodes import BACKWARD_JUMPS, CACHES, EXTENDED_ARG, JUMPS, OPMAP, OPNAME

# What LOAD_COMMON_CONSTANT loads (3.14 and later).
_COMMON: Final[list[object]] = list(getattr(opcode, "_common_constants", ()))
_LOCAL_LOADS: Final = frozenset({
    "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_DEREF",
})  # fmt: skip
_RESUME: Final = OPMAP["RESUME"]
_RERAISE: Final = OPMAP["RERAISE"]
_BRING_UP: Final = frozenset({OPMAP["COPY"], OPMAP["SWAP"]})
_CACHE: Final = OPMAP["CACHE"]
_WINDOW: Final = 2048  # bytes looked back from a `with` for its expression


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. In bytes: `offset` (of its prefix), `end` (behind its caches), `target` or -1."""

    name: str
    arg: int
    offset: int
    end: int
    target: int
    op: int


class Reader:
    """Reads one code object."""

    __slots__ = ("_known", "_starts", "code", "raw", "rows", "slots")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.raw = code.co_code
        self.rows = tables.parse_exception_table(code.co_exceptiontable)
        self._starts = [row[0] for row in self.rows]
        hidden = set(code.co_varnames)
        cells = tuple(name for name in code.co_cellvars if name not in hidden)
        self.slots = code.co_varnames + cells + code.co_freevars
        self._known: dict[int, Instruction] = {}

    def at(self, offset: int) -> Instruction:
        """The instruction that the byte `offset` lies in."""
        found = self._known.get(offset)
        if found is None:
            found = self._known[offset] = self._read(self._start(offset))
        return found

    def _start(self, offset: int) -> int:
        raw = self.raw
        while raw[offset] == _CACHE:
            offset -= 2
        while offset and raw[offset - 2] == EXTENDED_ARG:
            offset -= 2
        return offset

    def _read(self, start: int) -> Instruction:
        raw, offset, extended = self.raw, start, 0
        while raw[offset] == EXTENDED_ARG:
            extended = (extended | raw[offset + 1]) << 8
            offset += 2
        op = raw[offset]
        arg = raw[offset + 1] | extended
        end = offset + 2 + 2 * CACHES[op]
        target = -1
        if op in JUMPS:
            target = end - 2 * arg if op in BACKWARD_JUMPS else end + 2 * arg
        return Instruction(OPNAME[op], arg, start, end, target, op)

    def window(self, end: int) -> list[Instruction]:
        """The instructions that lie before `end`, up to a couple of hundred of them."""
        start = 0
        for begin, _, _ in self.code.co_lines():
            if begin > end - _WINDOW:
                break
            start = begin
        found = []
        while start < end:
            found.append(self.at(start))
            start = found[-1].end
        return found

    def row_at(self, offset: int) -> tables.Row | None:
        """The exception-table row that decides for an exception at the instruction at `offset`."""
        unit = offset // 2
        if self.resumes(offset) and behavior.handler_is_looked_up_early:
            unit -= 1  # thrown in at a yield: the row over the YIELD_VALUE decides
        index = bisect_right(self._starts, unit) - 1
        if index < 0:
            return None
        row = self.rows[index]
        return row if unit < row[1] else None

    def resumes(self, offset: int) -> bool:
        """Is this where a generator or coroutine goes on after a yield or await?"""
        return self.raw[offset] == _RESUME and self.raw[offset + 1] & 3 != 0

    def raises_again(self, pop: Instruction) -> bool:
        """Does a handler that could not end the exception raise it again behind its POP_EXCEPT?

        It has brought it to the top of the stack for that. Without it, the RERAISE is that of a handler further out,
        a `finally` in which another exception came up and was handled.
        """
        return self.raw[pop.offset - 2] in _BRING_UP and self.raw[pop.end] == _RERAISE

    def line_at(self, offset: int) -> int:
        """The line of the instruction at `offset`, the last one known before it where it has none."""
        line = self.code.co_firstlineno
        for start, _end, number in self.code.co_lines():
            if start > offset:
                break
            line = number or line
        return line

    def loaded(self, step: Instruction) -> tuple[Symbol | None, ...] | None:
        """What a plain load pushes, lowest first; None for any other instruction."""
        name, arg, code = step.name, step.arg, self.code
        if name in _LOCAL_LOADS:
            return (Name("local", self.slots[arg]),)
        if name == "LOAD_GLOBAL":
            found = Name("global", code.co_names[arg >> 1])
            if not arg & 1:
                return (found,)
            return (found, NULL) if behavior.null_follows_callable else (NULL, found)
        if name == "LOAD_FROM_DICT_OR_DEREF" and not code.co_flags & CO_OPTIMIZED:  # in a class body
            return (Name("local", self.slots[arg]),)
        if name == "LOAD_NAME":
            return (Name("name", code.co_names[arg]),)
        if name in ("LOAD_CONST", "RETURN_CONST"):
            return (constant(code.co_consts[arg]),)
        if name == "LOAD_SMALL_INT":
            return (constant(arg),)
        if name == "LOAD_COMMON_CONSTANT":
            return (constant(_COMMON[arg]),)
        if name == "LOAD_ASSERTION_ERROR":
            return (constant(AssertionError),)
        if name in ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"):
            return (Name("local", self.slots[arg >> 4]), Name("local", self.slots[arg & 15]))
        if name == "STORE_FAST_LOAD_FAST":
            return (Name("local", self.slots[arg & 15]),)
        return None

    def attribute(self, step: Instruction, base: Symbol | None) -> Symbol | None:
        """What a LOAD_ATTR of `base` gives."""
        return Attribute(base, self.code.co_names[step.arg >> 1]) if base is not None else None

    def stored(self, step: Instruction) -> tuple[str, ...]:
        """The names that a store or delete of variables changes, in the order in which values are popped."""
        name, arg = step.name, step.arg
        if name in ("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"):
            return (self.slots[arg],)
        if name in ("STORE_NAME", "STORE_GLOBAL", "DELETE_NAME", "DELETE_GLOBAL"):
            return (self.code.co_names[arg],)
        if name == "STORE_FAST_STORE_FAST":
            return (self.slots[arg >> 4], self.slots[arg & 15])
        if name == "STORE_FAST_LOAD_FAST":
            return (self.slots[arg >> 4],)
        return ()
