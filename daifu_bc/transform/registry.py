"""What is known of the code objects that daifu_bc made: their originals, offsets, kept results.

In: code objects. Out: `Protection` (of protected code and of unfinished procedures), the list of what was skipped.
Always true: records are keyed by identity (two compilations of the same text are equal) and go when their code
object goes; they never keep it alive.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from dataclasses import dataclass, field
from inspect import CO_GENERATOR, CO_ITERABLE_COROUTINE
from types import CodeType
from typing import Final

from daifu_bc.analysis.contexts import Contexts
from daifu_bc.analysis.flow import Flow
from daifu_bc.analysis.keeps import Keeps
from daifu_bc.interpreter.tables import Position

PROLOGUE: Final = 64  # code units: prologues of unfinished procedures are multiples of this


@dataclass(frozen=True, slots=True)
class Settings:
    """How code is protected."""

    keep: str = "calls"  # or "all": results of operators are kept too
    always: bool = False  # some exceptions are crashes even where the program handles them


@dataclass(frozen=True, slots=True, eq=False)
class Protection:
    """Protected code: what it was made from and where everything is.

    Offsets in bytes; `starts` in code units, one more entry than there are instructions in the new code.
    """

    original: CodeType
    settings: Settings
    flow: Flow
    keeps: Keeps
    contexts: Contexts
    starts: list[int]
    positions: list[Position]  # of the original's instructions, in its source
    origins: list[int]  # instruction of the new code -> instruction of the original, -1: cold
    positions_of: list[int]  # instruction of the original -> that of the new code
    labels_of: list[int]  # the same, where jumps to it arrive
    after_of: list[int]  # the same, right behind it
    blocks: list[int]  # context -> instruction of the new code where its barrier block begins
    hidden: tuple[str, ...]  # names of the hidden locals for kept results
    hidden_slots: int  # local slots that were put in before those of cells
    slot_numbers: tuple[int, ...]  # local slots of plain values, in the order in which the tail hands them over
    cell_numbers: tuple[int, ...]  # local slots of cells, cell variables first
    free_count: int  # how many of them, at the end, are free variables
    tables: dict[int, bytes] = field(default_factory=dict)  # prologue length -> shifted exception table
    base: CodeType | None = None  # of an unfinished procedure: the protected code that it goes on in
    checked: dict[frozenset[int], CodeType] = field(default_factory=dict)  # unbound local slots -> twin that checks
    shift: int = 0  # code units of prologue before the code (unfinished procedures)
    recipe: int = 0  # where in the prologue the recipe begins
    resumed: int = -1  # the instruction that the recipe is for

    def index_at(self, offset: int) -> int:
        """The original instruction that runs at byte `offset` of the new code, -1 for cold code."""
        unit = offset // 2 - self.shift
        if unit < 0:
            return self.resumed if offset // 2 >= self.recipe else -1
        position = bisect_right(self.starts, unit) - 1
        return self.origins[position] if position < len(self.origins) else -1

    def to_original(self, offset: int) -> int:
        """Bytes in the new code -> bytes in the original (start of the instruction), -1 for cold code."""
        index = self.index_at(offset)
        return self.flow.instructions.offset_of(index) if index >= 0 else -1


@dataclass(frozen=True, slots=True)
class Skipped:
    """A code object that was left as it is, and why."""

    qualname: str
    filename: str
    lineno: int
    reason: str


_records: dict[int, tuple[weakref.ref[CodeType], Protection]] = {}
# types.coroutine replaces the code object of a generator function by a copy with a flag: it has the same constants.
_by_consts: dict[int, tuple[tuple[object, ...], Protection]] = {}
_skipped: dict[tuple[str, str, int], Skipped] = {}


def register(code: CodeType, protection: Protection) -> None:
    """`code` was made from `protection.original`."""
    key = id(code)

    def forget(_: object, key: int = key, records: dict[int, object] = _records) -> None:  # type: ignore[assignment]
        records.pop(key, None)

    _records[key] = (weakref.ref(code, forget), protection)
    if code.co_flags & CO_GENERATOR and not protection.shift and code.co_name != "<genexpr>":
        _by_consts[id(code.co_consts)] = (code.co_consts, protection)


def protection_of(code: CodeType) -> Protection | None:
    """The record of `code`, or None for code that is not ours."""
    found = _records.get(id(code))
    if found is not None and found[0]() is code:
        return found[1]
    copied = _by_consts.get(id(code.co_consts)) if code.co_flags & CO_ITERABLE_COROUTINE else None
    if copied is None or copied[0] is not code.co_consts:
        return None
    register(code, copied[1])
    return copied[1]


def original_of(code: CodeType) -> CodeType:
    """The code as the compiler made it."""
    protection = protection_of(code)
    return protection.original if protection is not None else code


def record_skipped(code: CodeType, reason: str) -> None:
    """Remember why `code` was left as it is."""
    key = (code.co_qualname, code.co_filename, code.co_firstlineno)
    _skipped[key] = Skipped(*key, reason)


def skipped() -> list[Skipped]:
    """Code objects that could not be protected, with the reason."""
    return list(_skipped.values())
