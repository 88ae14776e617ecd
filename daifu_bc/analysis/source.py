"""Statements and expressions of a code object, in the words of its file.

In: a code object of the compiler's (not a protected twin) and positions of its instructions, as `co_positions` has
them. Out: statements, source text, loops. A compound statement stands for its header only: from the keyword, or
the first decorator, to the colon; `except` and `case` clauses have headers of their own.
Always true: where the text is missing or is not what the code was made from any more, the answer is None or "", never
an exception; nothing is read twice that has not changed.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from daifu_bc.analysis.source_codes import Comprehension, Origin, origin_of, remember_file
from daifu_bc.analysis.source_index import Entry, left_behind, own_nodes
from daifu_bc.analysis.source_loops import Loop, loops_of
from daifu_bc.analysis.source_text import Place, Position, end_of

__all__ = [
    "Loop",
    "Statement",
    "expression_text",
    "find_loops",
    "follows_at_once",
    "line_text",
    "next_statement",
    "remember_file",
    "scope_text",
    "statement_at",
    "whole",
]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or a compound one's header. Lines from 1, columns in UTF-8 bytes, the end is exclusive."""

    lineno: int
    end_lineno: int
    col: int
    end_col: int
    text: str
    kind: str
    header: bool


def statement_at(code: CodeType, position: Position) -> Statement | None:
    """The statement whose own part holds the beginning of `position`; by its line alone where no column is known.

    For a lambda or a generator expression: the statement that it stands in.
    """
    origin = origin_of(code)
    entry = next(_entries_at(origin, position), None) if origin is not None else None
    return _statement(origin, entry) if origin is not None and entry is not None else None


def next_statement(code: CodeType, statement: Statement) -> Statement | None:
    """The statement that runs after `statement` if `pass` stood in its place; a loop's header after its body's last.

    None at the end of the function, the class body or the module.
    """
    origin = origin_of(code)
    if origin is None or isinstance(origin.scope, ast.Lambda | Comprehension):
        return None
    entry = origin.index.entry_starting((statement.lineno, statement.col))
    after = origin.index.entry_after(entry) if entry is not None else None
    return _statement(origin, after) if after is not None else None


def follows_at_once(code: CodeType, statement: Statement) -> bool:
    """Does the next statement follow without the end of a `with` or the beginning or end of a `finally` in between?

    What stands there is done by the way out of the block, not by a jump to what the text has next.
    """
    origin = origin_of(code)
    entry = origin.index.entry_starting((statement.lineno, statement.col)) if origin is not None else None
    return entry is not None and not any(map(_does_something_at_its_end, left_behind(entry)))


def _does_something_at_its_end(left: Entry) -> bool:
    parent = left.parent.node if left.parent is not None else None
    if isinstance(parent, ast.Try | ast.TryStar):
        return bool(parent.finalbody)
    return isinstance(parent, ast.With | ast.AsyncWith)


def whole(code: CodeType, statement: Statement) -> tuple[Place, Place] | None:
    """Where a statement, its blocks included, begins and ends."""
    origin = origin_of(code)
    entry = origin.index.entry_starting((statement.lineno, statement.col)) if origin is not None else None
    return (entry.start, end_of(entry.node)) if entry is not None else None


def expression_text(code: CodeType, position: Position) -> str:
    """The source of exactly `position`."""
    origin = origin_of(code)
    lineno, end_lineno, col, end_col = position
    if origin is None or lineno is None or end_lineno is None or col is None or end_col is None:
        return ""
    return origin.index.text.slice((lineno, col), (end_lineno, end_col))


def line_text(code: CodeType, lineno: int) -> str:
    """Line `lineno` of the file, without its indentation and its end."""
    origin = origin_of(code)
    return origin.index.text.line(lineno).strip() if origin is not None else ""


def scope_text(code: CodeType) -> str:
    """The text of the function, class or module that `code` was made from, at the left margin; "" if unknown."""
    origin = origin_of(code)
    if origin is None:
        return ""
    if isinstance(origin.scope, ast.Module):
        return "".join(origin.index.text.lines)
    if isinstance(origin.scope, ast.Lambda | Comprehension):
        return ""
    return textwrap.dedent(origin.index.text.slice((_decorated(origin.scope)[0], 0), end_of(origin.scope))) + "\n"


def find_loops(code: CodeType) -> tuple[Loop, ...]:
    """The loops that run in `code`, in the order of the text; those of inlined comprehensions included."""
    origin = origin_of(code)
    return loops_of(origin) if origin is not None else ()


def _entries_at(origin: Origin, position: Position) -> Iterator[Entry]:
    lineno, _, col, _ = position
    if lineno is None:
        return
    found = [origin.index.entry_at((lineno, col))] if col is not None else origin.index.entries_on(lineno)
    yield from (entry for entry in found if entry is not None and _within(origin, entry.start))


def _within(origin: Origin, start: Place) -> bool:
    """Whether what begins at `start` is part of the scope: its own header, for one, is not."""
    scope = origin.scope
    if isinstance(scope, ast.Module | ast.Lambda | Comprehension):
        return True
    return _decorated(scope.body[0]) <= start < end_of(scope)


def _decorated(node: ast.stmt) -> Place:
    decorators = getattr(node, "decorator_list", [])
    return (decorators[0].lineno, node.col_offset) if decorators else (node.lineno, node.col_offset)


def _statement(origin: Origin, entry: Entry) -> Statement:
    (lineno, col), (end_lineno, end_col) = entry.start, entry.end
    text = origin.index.text.dedented(entry.start, entry.end, own_nodes(entry.node))
    return Statement(lineno, end_lineno, col, end_col, text, type(entry.node).__name__, entry.header)
