"""An edit as text: what was, what is to be, where the crash is and where the run goes on.

In: `Prepared`. Out: `Preview`, whose rows are those of a unified diff of the function; a diff for the record.
Always true: line numbers are those of the two texts, from 1.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from daifu_bc.surgery.prepare import Prepared
from daifu_bc.surgery.texts import Side

CONTEXT = 3  # unchanged lines around a change


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the old text ("-"), of the new one ("+") or of both (" "); "..." for lines that are left out."""

    sign: str
    lineno: int
    text: str
    mark: str = ""  # "crashed here", "goes on here"


@dataclass(frozen=True, slots=True)
class Preview:
    """What a surgery would do."""

    filename: str  # of the new text
    lineno: int | None  # line of the new text to go on at; None: the function's end
    exactly: bool  # at the failing instruction, with what the statement has finished
    rows: tuple[Row, ...]
    notes: tuple[str, ...]  # changes that are not run again


def preview(prepared: Prepared, crashed_at: int | None) -> Preview:
    """`crashed_at`: line of the old text."""
    rows = tuple(_rows(prepared, crashed_at))
    return Preview(prepared.edit.new.code.co_filename, prepared.line, prepared.exactly, rows, prepared.notes)


def unified(prepared: Prepared) -> str:
    """The function's text, old against new."""
    old, new = prepared.edit.old, prepared.edit.new
    names = old.code.co_filename, new.code.co_filename
    return "".join(difflib.unified_diff(lines_of(old), lines_of(new), *names, lineterm="\n"))


def lines_of(side: Side) -> list[str]:
    """The lines of the function's own text."""
    first, last = span_of(side)
    return side.lines[first - 1 : last]


def span_of(side: Side) -> tuple[int, int]:
    """First and last line of the function's text, from 1, both included."""
    scope = side.origin.scope
    if isinstance(scope, ast.Module):
        return 1, len(side.lines)
    decorators = getattr(scope, "decorator_list", [])
    first = decorators[0].lineno if decorators else scope.lineno
    return first, scope.end_lineno or first


def _rows(prepared: Prepared, crashed_at: int | None) -> Iterator[Row]:
    old, new = lines_of(prepared.edit.old), lines_of(prepared.edit.new)
    old_first, new_first = span_of(prepared.edit.old)[0], span_of(prepared.edit.new)[0]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    goes_on = prepared.line
    shown = False
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if shown:
            yield Row("...", 0, "")
        shown = True
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                for before, after in zip(range(i, i_end), range(j, j_end), strict=True):
                    marks = _mark(before + old_first, crashed_at, "crashed"), _mark(after + new_first, goes_on, "on")
                    yield Row(" ", after + new_first, new[after].rstrip("\n"), ", ".join(filter(None, marks)))
                continue
            for before in range(i, i_end):
                mark = _mark(before + old_first, crashed_at, "crashed")
                yield Row("-", before + old_first, old[before].rstrip("\n"), mark)
            for after in range(j, j_end):
                mark = _mark(after + new_first, goes_on, "on")
                yield Row("+", after + new_first, new[after].rstrip("\n"), mark)


_MARKS = {"crashed": "crashed here", "on": "goes on here"}


def _mark(lineno: int, marked: int | None, what: str) -> str:
    return _MARKS[what] if lineno == marked else ""
