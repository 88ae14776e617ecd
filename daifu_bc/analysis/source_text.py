"""A file's text by the positions that code objects use: lines from 1, columns in UTF-8 bytes.

In: lines as `linecache` has them. Out: slices, whole or made fit to be shown.
Always true: a position outside of the text gives "", never an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

Position = tuple[int | None, int | None, int | None, int | None]  # line, end line, column, end column: co_positions
Place = tuple[int, int]  # line, column


class Text:
    """The lines of one file."""

    __slots__ = ("lines",)

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def line(self, lineno: int) -> str:
        """Line `lineno` with its end, "" where there is none."""
        return self.lines[lineno - 1] if 0 < lineno <= len(self.lines) else ""

    def slice(self, start: Place, end: Place) -> str:
        """The text from `start` up to `end`, as it stands in the file."""
        (first, column), (last, end_column) = start, end
        if first == last:
            return _bytes_of(self.line(first), column, end_column)
        rows = [_bytes_of(self.line(first), column, None)]
        rows += [self.line(lineno) for lineno in range(first + 1, last)]
        return "".join([*rows, _bytes_of(self.line(last), 0, end_column)])

    def dedented(self, start: Place, end: Place, nodes: Iterable[ast.AST]) -> str:
        """The text from `start` up to `end` as if it stood at the left margin; strings in `nodes` are left alone."""
        rows = self.slice(start, end).split("\n")
        margin = len(_bytes_of(self.line(start[0]), 0, start[1]))
        kept = _lines_inside_strings(nodes) if len(rows) > 1 else set()
        for i, row in enumerate(rows[1:], 1):
            if start[0] + i not in kept:
                rows[i] = row[:margin].lstrip(" \t\f") + row[margin:]
        return "\n".join(rows)

    def after_colon(self, place: Place) -> Place:
        """Behind the first colon from `place` on that is not in a comment; `place` itself if there is none."""
        lineno, column = place
        while lineno <= len(self.lines):
            code = self.line(lineno).encode()[column:].partition(b"#")[0]
            if b":" in code:
                return lineno, column + code.index(b":") + 1
            lineno, column = lineno + 1, 0
        return place


def start_of(node: ast.expr | ast.stmt | ast.pattern | ast.excepthandler) -> Place:
    """Where `node` begins."""
    return node.lineno, node.col_offset


def end_of(node: ast.AST) -> Place:
    """Where `node` ends; before everything for a node without positions."""
    return getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0


def _bytes_of(line: str, start: int, end: int | None) -> str:
    if line.isascii():
        return line[start:end]
    return line.encode()[start:end].decode(errors="replace")


def _lines_inside_strings(nodes: Iterable[ast.AST]) -> set[int]:
    strings = (n for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str | bytes))
    return {line for string in strings for line in range(string.lineno + 1, (string.end_lineno or 0) + 1)}
