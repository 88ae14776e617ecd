"""A file's statements, found fast by position.

In: a file's lines. Out: `SourceIndex`, its statements in the order of the text, each with its own part: all of
a simple statement, of a compound one the header from its keyword (or first decorator) to the colon. `except` and
`case` clauses have headers of their own.
Always true: own parts do not overlap: only the last one that begins at or before a place can hold it.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from daifu_bc.analysis.source_text import Place, Position, Text, end_of, start_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Statement = ast.stmt | ast.ExceptHandler | ast.match_case

_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Entry:
    """A statement in its file: `node`, its own part [`start`, `end`), and the block of `parent` in which it stands."""

    __slots__ = ("block", "end", "field", "header", "node", "parent", "position", "ranges", "start")

    def __init__(self, node: Statement, parent: Entry | None, field: str, block: Sequence[Statement], position: int):
        self.node = node
        self.parent = parent
        self.field = field
        self.block = block
        self.position = position
        self.header = False
        self.start: Place = (0, 0)
        self.end: Place = (0, 0)
        self.ranges: frozenset[Position] | None = None  # of its nodes, once somebody asks


class SourceIndex:
    """The statements of one file. Raises what `ast.parse` raises for a text that is no Python."""

    __slots__ = ("_by_node", "_starts", "definitions", "entries", "text", "tree")

    def __init__(self, lines: list[str]) -> None:
        self.text = Text(lines)
        self.tree = ast.parse("".join(lines))
        self.entries = list(self._entries_of(self.tree))
        self.definitions: dict[tuple[str, int], list[Definition]] = {}
        for entry in self.entries:
            entry.start, entry.end = self._own_part(entry)
            if isinstance(entry.node, Definition):
                self.definitions.setdefault((entry.node.name, entry.start[0]), []).append(entry.node)
        self._by_node = {id(entry.node): entry for entry in self.entries}
        self._starts = [entry.start for entry in self.entries]

    def entry_at(self, place: Place) -> Entry | None:
        """The statement whose own part holds `place`."""
        i = bisect_right(self._starts, place) - 1
        return self.entries[i] if i >= 0 and place < self.entries[i].end else None

    def entries_on(self, lineno: int) -> list[Entry]:
        """The statements whose own parts touch line `lineno`, first those that begin there."""
        first, last = (bisect_right(self._starts, (line, -1)) for line in (lineno, lineno + 1))
        over = self.entries[max(first - 1, 0) : first]
        return self.entries[first:last] + [entry for entry in over if entry.end[0] >= lineno]

    def entry_starting(self, place: Place) -> Entry | None:
        """The statement that begins exactly at `place`."""
        entry = self.entry_at(place)
        return entry if entry is not None and entry.start == place else None

    def entry_after(self, entry: Entry) -> Entry | None:
        """The statement that runs after `entry` if that were `pass`; None at the end of its scope."""
        while True:
            if entry.field not in ("handlers", "cases") and entry.position + 1 < len(entry.block):
                return self._by_node[id(entry.block[entry.position + 1])]
            parent = entry.parent
            if parent is None or isinstance(parent.node, Definition):
                return None
            if isinstance(parent.node, _LOOPS) and entry.field == "body":
                return parent
            if isinstance(parent.node, ast.Try | ast.TryStar) and (then := _next_block(parent.node, entry.field)):
                return self._by_node[id(then[0])]
            entry = parent

    def entry_of(self, node: ast.AST) -> Entry:
        """The entry of a statement of this file."""
        return self._by_node[id(node)]

    def entries_in(self, node: ast.Module | Statement) -> list[Entry]:
        """The statements right under `node`, in the order of the text."""
        blocks = (getattr(node, name, None) for name in _BLOCKS)
        return [self._by_node[id(inner)] for block in blocks if isinstance(block, list) for inner in block]

    def _entries_of(self, tree: ast.Module) -> Iterator[Entry]:
        """Every statement in the order of the text. No recursion: chains of `elif` nest deeper than calls may."""
        stack = _children(tree, None)
        while stack:
            entry = stack.pop()
            inner = _children(entry.node, entry)
            entry.header = bool(inner)
            yield entry
            stack += inner

    def _own_part(self, entry: Entry) -> tuple[Place, Place]:
        node = entry.node
        if isinstance(node, ast.match_case):
            start = self._start_of_case(node)
        else:
            start = start_of(node)
        if not entry.header:
            return start, end_of(node)
        end = self.text.after_colon(max([start, *(end_of(part) for part in header_parts(node))]))
        if isinstance(node, Definition) and node.decorator_list:
            start = node.decorator_list[0].lineno, node.col_offset  # the "@" stands where "def" does
        return start, end

    def _start_of_case(self, node: ast.match_case) -> Place:
        for lineno in range(node.pattern.lineno, 0, -1):
            line = self.text.line(lineno)
            if line.lstrip().startswith("case"):
                return lineno, len(line) - len(line.lstrip())
        return start_of(node.pattern)


def left_behind(entry: Entry) -> Iterator[Entry]:
    """The entries that are the last of their blocks on the way from `entry` to what runs after it, itself included."""
    while entry.field in ("handlers", "cases") or entry.position + 1 >= len(entry.block):
        yield entry
        if entry.parent is None or isinstance(entry.parent.node, (*_LOOPS, Definition)):
            return
        entry = entry.parent


def header_parts(node: Statement) -> Iterator[ast.AST]:
    """The nodes right under `node` that are not in its blocks; arguments and `with` items taken apart."""
    for name, value in ast.iter_fields(node):
        if name in _BLOCKS and isinstance(value, list):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.arguments | ast.withitem):
                yield from ast.iter_child_nodes(part)
            elif isinstance(part, ast.AST):
                yield part


def own_nodes(node: Statement) -> Iterator[ast.AST]:
    """All nodes of the own part of `node`, itself included."""
    yield node
    for part in header_parts(node):
        yield from ast.walk(part)


def _children(node: ast.AST, entry: Entry | None) -> list[Entry]:
    """The statements in the blocks of `node`, last first."""
    found: list[Entry] = []
    for name in _BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            found += [Entry(inner, entry, name, block, i) for i, inner in enumerate(block)]
    found.reverse()
    return found


def _next_block(node: ast.Try | ast.TryStar, field: str) -> list[ast.stmt]:
    """What of a `try` runs after one of its blocks has run to its end."""
    if field == "body" and node.orelse:
        return node.orelse
    return node.finalbody if field != "finalbody" else []
