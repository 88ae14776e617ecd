"""Which text of a file the program runs.

In: modules as they are protected along, edits as they are applied. Out: the text before an edit, and its code.
Always true: what the file says now is never taken for what runs; nothing of a text runs.
"""

from __future__ import annotations

import linecache
import tokenize
from types import CodeType, ModuleType
from typing import Final

from daifu_bc.analysis.source_codes import note_texts, remember_file, text_noted_for
from daifu_bc.analysis.source_index import SourceIndex
from daifu_bc.surgery.texts import Edit, compile_module, parse_module
from daifu_bc.targets import namespace_of

_seen: Final[dict[str, list[str]]] = {}  # file -> its text when it was first seen
_running: Final[
    dict[str, tuple[list[str], CodeType]]
] = {}  # file -> text of its last edit, code of the module


def see_module(module: ModuleType) -> None:
    """Remember the text of a module's file, unless it is known."""
    filename = file_of(module)
    if filename is not None and filename not in _seen:
        remember_file(filename)
        _seen[filename] = linecache.getlines(filename)


def file_of(module: ModuleType) -> str | None:
    """The source file of a module, as its code spells it."""
    found = namespace_of(module).get("__file__")
    return found if isinstance(found, str) and found.endswith((".py", ".pyw")) else None


def lines_now(filename: str) -> list[str] | None:
    """What the file says now; None where it cannot be read."""
    try:
        with tokenize.open(filename) as file:
            return file.read().splitlines(keepends=True)
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


def lines_before(filename: str) -> list[str] | None:
    """What the file said when it was last brought into the program, as far as that was seen."""
    if filename in _running:
        return _running[filename][0]
    return _seen.get(filename)


def running_text(filename: str, edit: Edit) -> tuple[SourceIndex, CodeType] | None:
    """The file's text before `edit`, and the module's code made of it."""
    lines = lines_before(filename)
    if filename not in _running and edit.old.code.co_filename == filename and edit.old.lines:
        lines = edit.old.lines
        if edit.old.module is not None:
            return edit.old.origin.index, edit.old.module
    if lines is None:
        noted = text_noted_for(edit.old.code)
        lines = noted if edit.old.code.co_filename == filename else None
    if not lines:
        return None
    if filename in _running:
        return SourceIndex(lines), _running[filename][1]
    tree = parse_module("".join(lines), filename)
    index = edit.old.origin.index if lines is edit.old.lines else SourceIndex(lines)
    return index, compile_module(tree, filename, edit.old.code)


def now_running(filename: str, lines: list[str], module: CodeType) -> tuple[list[str], CodeType] | None:
    """From now on the program runs this text of the file. Out: what it ran before, if that was an edit too."""
    before = _running.get(filename)
    note_texts(module)
    _running[filename] = (lines, module)
    return before


def running_again(filename: str, before: tuple[list[str], CodeType] | None) -> None:
    """The last edit was taken back."""
    if before is None:
        _running.pop(filename, None)
    else:
        _running[filename] = before


__all__ = [
    "file_of",
    "lines_before",
    "lines_now",
    "now_running",
    "running_again",
    "running_text",
    "see_module",
]
