"""Entries: functions that were protected by name. Protected code acts only below one of them.

In: code objects and what the user asked for them. Out: the entry that a running code object stands for.
Always true: a code object is in the table only while it is some function's protected `__code__`, and the
table keeps it alive (two compilations of the same text are equal: the table is keyed by identity).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

Always = tuple[type[BaseException], ...] | Callable[[BaseException], bool]


@dataclass(eq=False, slots=True)
class Entry:
    """What `protect` was asked for one function."""

    on_crash: Callable[[Any], Any] | None = None
    scope: str = "project"
    keep: str = "calls"
    always: Always = ()
    switches: dict[str, object] = field(default_factory=dict)


_entries: dict[int, tuple[CodeType, Entry]] = {}
_process: Entry | None = None


def set_entry(code: CodeType, entry: Entry) -> None:
    """Make `code` an entry; later settings replace earlier ones."""
    _entries[id(code)] = (code, entry)


def drop_entry(code: CodeType) -> None:
    """`code` is no entry any more."""
    _entries.pop(id(code), None)


def entry_of(code: CodeType) -> Entry | None:
    """The entry that `code` is, or None. `code` is the code object that runs (not its original)."""
    found = _entries.get(id(code))
    return found[1] if found is not None else None


def has_entries() -> bool:
    """Is anything protected by name? (Where nothing is, barriers do nothing.)"""
    return bool(_entries) or _process is not None


def set_process_entry(entry: Entry | None) -> Entry | None:
    """Make the main module an entry, whatever code it runs, and with it all threads. Returns the one before."""
    global _process
    before, _process = _process, entry
    return before


def process_entry() -> Entry | None:
    """The entry that everything in this process is below, or None."""
    return _process
