"""What is known of the code objects that daifu_bc made: their originals, offsets, kept results.

In: code objects. Out: `Protection` (of protected code and of unfinished procedures), the list of what was skipped.
What we want: protected code that can be marshalled, cached, copied by other tools (`code.replace`), and that costs
little memory. What does not work: tables by identity (a copy or a code object out of a cache is not in them) or by
content (they keep generated code alive for ever). What we do: protected code carries its original and its settings as
its last two constants; everything else can be made of those again, which is done when an exception comes by.
Always true: nothing here keeps a code object alive; code that differs from what would be made of the original that it
carries is not ours; the latest records are kept as they are made, up to a number of instructions in all.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Final

from daifu_bc.analysis.contexts import Contexts
from daifu_bc.analysis.flow import Flow
from daifu_bc.analysis.keeps import Keeps
from daifu_bc.analysis.source_codes import is_text_known, note_text
from daifu_bc.interpreter.code_table import CodeTable
from daifu_bc.interpreter.tables import Position

MARK: Final = "daifu_bc"  # first in the last constant but one of protected code
MOST_HELD: Final = 200_000  # instructions whose records are kept until an exception comes by
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
    origins: list[int]  # instruction of the new code -> instruction of the original, negative: cold
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
    also: frozenset[int] = frozenset()  # instructions whose results are kept because they were supplied once
    keeping: dict[frozenset[int], CodeType] = field(default_factory=dict)  # such instructions -> twin that keeps them
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


_Rebuild = Callable[[CodeType, CodeType, Settings], Protection | None]


@dataclass(slots=True, eq=False)
class _Record:
    protection: Protection | None  # None: not made yet, dropped to save memory, or refused
    refused: bool = False


_records: CodeTable[_Record] = CodeTable()
_LOADED: Final = _Record(None)  # of all code that came out of a cache: their records are not made yet
_held: deque[tuple[weakref.ref[CodeType], int]] = deque()  # codes whose records can be made again, and their sizes
_held_size = 0
_skipped: dict[tuple[str, str, int], Skipped] = {}
_rebuild: _Rebuild | None = None  # handed in by what makes protected code


def set_rebuild(rebuild: _Rebuild) -> None:
    """`rebuild(code, original, settings)`: the record of protected code, None where it is not what would be made."""
    global _rebuild
    _rebuild = rebuild


def constants(original: CodeType, settings: Settings) -> tuple[object, ...]:
    """The last constants of protected code."""
    return ((MARK, settings.keep, settings.always), original)


def carried(code: CodeType) -> tuple[CodeType, Settings] | None:
    """The original and the settings that protected code carries; None for other code."""
    consts = code.co_consts
    if len(consts) < 2 or type(consts[-1]) is not CodeType or type(consts[-2]) is not tuple:
        return None
    match consts[-2]:
        case (str(mark), str(keep), bool(always)) if mark == MARK:
            return consts[-1], Settings(keep, always)
    return None


def register(code: CodeType, protection: Protection) -> None:
    """`code` was made from `protection.original`; the record is kept as long as the code."""
    _records.put(code, _Record(protection))


def register_made(code: CodeType, protection: Protection | None) -> None:
    """`code` carries what its record can be made of again. None: that is done when it is needed."""
    global _held_size
    _records.put(code, _Record(protection))
    note_text(original_of(code))
    if protection is None:
        return
    size = len(protection.origins)
    _held.append((weakref.ref(code), size))
    _held_size += size
    while _held_size > MOST_HELD and len(_held) > 1:
        oldest, size = _held.popleft()
        _held_size -= size
        known = _records.get(held) if (held := oldest()) is not None else None
        if known is not None:
            known.protection = None


def register_loaded(codes: list[CodeType]) -> None:
    """`codes`, of one file, are as they were made and carry what their records can be made of when that is needed."""
    _records.put_all(codes, _LOADED)
    if codes and is_text_known(codes[0]):
        for code in codes:
            note_text(original_of(code))


def protection_of(code: CodeType) -> Protection | None:
    """The record of `code`, or None for code that is not ours."""
    known = _records.get(code)
    if known is not None and (known.protection is not None or known.refused):
        return known.protection
    found = carried(code)
    if found is None or _rebuild is None:
        return None
    protection = _rebuild(code, *found)
    if protection is None:
        _records.put(code, _Record(None, refused=True))
        record_skipped(code, "its code was changed after it was protected: it runs, its crashes are not asked about")
    else:
        register_made(code, protection)
    return protection


def is_protected_code(code: CodeType) -> bool:
    """Is it protected code, as it was made or as somebody copied it? Makes a record only where that is in doubt."""
    known = _records.get(code)
    if known is not None:
        return not known.refused
    return carried(code) is not None and protection_of(code) is not None


def original_of(code: CodeType) -> CodeType:
    """The code as the compiler made it."""
    known = _records.get(code)
    if known is not None and known.protection is not None:
        return known.protection.original
    found = carried(code)
    return found[0] if found is not None else code


def record_skipped(code: CodeType, reason: str) -> None:
    """Remember why `code` was left as it is."""
    key = (code.co_qualname, code.co_filename, code.co_firstlineno)
    _skipped[key] = Skipped(*key, reason)


def why_skipped(code: CodeType) -> str | None:
    """The reason on record for which `code` was left as it is, or None."""
    found = _skipped.get((code.co_qualname, code.co_filename, code.co_firstlineno))
    return found.reason if found is not None else None


def skipped() -> list[Skipped]:
    """Code objects that could not be protected, with the reason."""
    return list(_skipped.values())
