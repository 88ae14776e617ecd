"""Entries: functions that were protected by name. Protected code acts only below one of them.

In: code objects and what the user asked for them. Out: the entry that a running code object stands for.
Always true: a code object is in the table as long as it lives: calls that run already when their function is
unprotected, or protected anew, are below the entry that they were made below; a copy that another tool made of an
entry's code (`code.replace`) stands for the same entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from daifu_bc.interpreter.code_table import CodeTable
from daifu_bc.transform.registry import carried

Always = tuple[type[BaseException], ...] | Callable[[BaseException], bool]


@dataclass(eq=False, slots=True)
class Entry:
    """What `protect` was asked for one function."""

    on_crash: Callable[[Any], Any] | None = None
    scope: str = "project"
    keep: str = "calls"
    always: Always = ()
    on_interrupt: str = "raise"  # or "pause"
    switches: dict[str, object] = field(default_factory=dict)


_entries: CodeTable[Entry] = CodeTable()
_others: CodeTable[bool] = CodeTable()  # code that is known to be no entry
_process: Entry | None = None
_below_main = True


def set_entry(code: CodeType, entry: Entry) -> None:
    """Make `code` an entry; later settings replace earlier ones."""
    _entries.put(code, entry)
    _others.drop(code)


def entry_of(code: CodeType) -> Entry | None:
    """The entry that `code` is, or None. `code` is the code object that runs (not its original)."""
    found = _entries.get(code)
    if found is None and _others.get(code) is None:
        found = _copied(code)
        if found is not None:
            _entries.put(code, found)
        else:
            _others.put(code, True)
    return found


def _copied(code: CodeType) -> Entry | None:
    """Copies have the very tuple of constants of what they were made of, which no other protected code has."""
    if carried(code) is None:
        return None
    return next((entry for known, entry in _entries.items() if known.co_consts is code.co_consts), None)


def has_entries() -> bool:
    """Is anything protected by name? (Where nothing is, barriers do nothing.)"""
    return len(_entries) > 0 or _process is not None


def set_process_entry(entry: Entry | None, below_main: bool = True) -> Entry | None:
    """Make the main module an entry, and with it all threads. Returns the one before.

    `below_main`: also a main module that is not protected itself, such as a test runner's; otherwise (a notebook, whose
    cells are run from it) the outermost protected frame stands for the entry.
    """
    global _process, _below_main
    before, _process, _below_main = _process, entry, below_main
    return before


def is_below_main() -> bool:
    """Does the process's entry include a main module that is not protected itself?"""
    return _below_main


def process_entry() -> Entry | None:
    """The entry that everything in this process is below, or None."""
    return _process
