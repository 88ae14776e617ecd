"""Which statement of the old text is which of the new one.

In: the two sides of an edit. Out: `Alignment`: pairs of statements, and which of them changed.
Always true: pairs keep the order of the text; a header (of a loop, `with`, `try`, clause) is a statement of its own, so
a statement that was wrapped in a new block, or taken out of one, keeps its partner; what is the same at the two ends
of the text is paired as it stands, and only what is between is compared.
Source: alignment of sequences by dynamic programming (Needleman and Wunsch, 1970).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from difflib import SequenceMatcher

from daifu_bc.analysis.source_codes import Origin
from daifu_bc.analysis.source_index import Definition, Entry, SourceIndex, header_parts
from daifu_bc.surgery.texts import Edit

_SAME = 16.0
_ALIKE = 0.5  # less than this much of their text in common: two different statements
_MOST = 400_000  # pairs that are compared one by one


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Partners, by identity of their entries."""

    old: list[Entry]
    new: list[Entry]
    to_new: dict[Entry, Entry]
    to_old: dict[Entry, Entry]
    changed: frozenset[Entry]  # new entries whose own part differs from their partner's
    index: SourceIndex  # of the new text

    def is_same(self, new: Entry) -> bool:
        """Has this statement of the new text (or its header) a partner that reads the same?"""
        return new in self.to_old and new not in self.changed


def align(edit: Edit) -> Alignment:
    """Pair the statements of the two sides."""
    old, new = statements_of(edit.old.origin), statements_of(edit.new.origin)
    if not isinstance(edit.old.origin.scope, ast.Module | Definition):
        return _align_expressions(edit, old[0], new[0])
    one, other = _Keys(edit.old.origin.index), _Keys(edit.new.origin.index)
    first = 0
    while first < min(len(old), len(new)) and one.same(old[first], other, new[first]):
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and one.same(old[-1 - last], other, new[-1 - last]):
        last += 1
    pairs = [(old[i], new[i]) for i in range(first)]
    pairs += _pair(old[first : len(old) - last], new[first : len(new) - last], one, other)
    pairs += [(old[i], new[i]) for i in range(-last, 0)]
    changed = frozenset(right for left, right in pairs if not one.same(left, other, right))
    return Alignment(old, new, dict(pairs), {right: left for left, right in pairs}, changed, edit.new.origin.index)


def _align_expressions(edit: Edit, old: Entry, new: Entry) -> Alignment:
    """A lambda or generator expression: one piece, in whatever statement it stands."""
    is_same = ast.dump(edit.old.origin.scope) == ast.dump(edit.new.origin.scope)
    changed = frozenset() if is_same else frozenset({new})
    return Alignment([old], [new], {old: new}, {new: old}, changed, edit.new.origin.index)


def statements_of(origin: Origin) -> list[Entry]:
    """The statements of a scope in the order of the text; functions and classes defined in it are one each."""
    scope = origin.scope
    if not isinstance(scope, ast.Module | Definition):
        around = origin.index.entry_at((scope.lineno, scope.col_offset))
        return [around] if around is not None else []
    found = []
    stack = list(reversed(origin.index.entries_in(scope)))
    while stack:
        entry = stack.pop()
        found.append(entry)
        if not isinstance(entry.node, Definition):
            stack += reversed(origin.index.entries_in(entry.node))
    return found


class _Keys:
    """What statements are compared by: their text, and where that differs their syntax."""

    def __init__(self, index: SourceIndex) -> None:
        self.index = index
        self._texts: dict[Entry, str] = {}
        self._dumps: dict[Entry, str] = {}

    def text(self, entry: Entry) -> str:
        known = self._texts.get(entry)
        if known is None:
            end = entry.end if not isinstance(entry.node, Definition) else _end(entry.node)
            known = self._texts[entry] = self.index.text.slice(entry.start, end)
        return known

    def dump(self, entry: Entry) -> str:
        known = self._dumps.get(entry)
        if known is None:
            known = self._dumps[entry] = _dump(entry)
        return known

    def same(self, entry: Entry, others: _Keys, other: Entry) -> bool:
        if type(entry.node) is not type(other.node):
            return False
        if entry.start[1] == other.start[1] and self.text(entry) == others.text(other):
            return True
        return self.dump(entry) == others.dump(other)


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _dump(entry: Entry) -> str:
    node = entry.node
    if not entry.header or isinstance(node, Definition):
        return ast.dump(node)
    name = getattr(node, "name", None) or ""
    return " ".join([type(node).__name__, name, *map(ast.dump, header_parts(node))])


def _pair(old: list[Entry], new: list[Entry], one: _Keys, other: _Keys) -> list[tuple[Entry, Entry]]:
    """The best pairs of what is between the two ends."""
    if len(old) * len(new) > _MOST:
        return _pair_roughly(old, new, one, other)
    score = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    worth = [[_worth(left, right, one, other) for right in new] for left in old]
    for i in range(len(old) - 1, -1, -1):
        row, below, here = score[i], score[i + 1], worth[i]
        for j in range(len(new) - 1, -1, -1):
            best = max(below[j], row[j + 1])
            row[j] = max(best, below[j + 1] + here[j]) if here[j] else best
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if worth[i][j] and score[i][j] == score[i + 1][j + 1] + worth[i][j]:
            pairs.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif score[i][j] == score[i][j + 1]:
            j += 1
        else:
            i += 1
    return pairs


def _pair_roughly(old: list[Entry], new: list[Entry], one: _Keys, other: _Keys) -> list[tuple[Entry, Entry]]:
    """Long stretches: what is the same first, then what is between."""
    matcher = SequenceMatcher(None, [one.dump(e) for e in old], [other.dump(e) for e in new], autojunk=False)
    pairs: list[tuple[Entry, Entry]] = []
    i = j = 0
    for block in matcher.get_matching_blocks():
        if (i, j) != (0, 0) or block.size:
            between = old[i : block.a], new[j : block.b]
            if len(between[0]) * len(between[1]) <= _MOST:
                pairs += _pair(*between, one, other)
        pairs += zip(old[block.a : block.a + block.size], new[block.b : block.b + block.size], strict=True)
        i, j = block.a + block.size, block.b + block.size
    return pairs


def _worth(left: Entry, right: Entry, one: _Keys, other: _Keys) -> float:
    """How good a pair is; 0: none at all."""
    if one.same(left, other, right):
        return _SAME + _same_depth(left, right)
    if type(left.node) is not type(right.node):
        return 0.0
    if isinstance(left.node, Definition):
        return _SAME / 2 if left.node.name == right.node.name else 0.0  # type: ignore[union-attr]
    if left.header and left.field == right.field:
        return _SAME / 4 + _ratio(left, right, one, other)  # the same kind of block: likely the same one
    ratio = _ratio(left, right, one, other)
    return ratio * _SAME / 2 if ratio >= _ALIKE or _same_target(left.node, right.node) else 0.0


def _same_depth(left: Entry, right: Entry) -> float:
    """Of pairs that are equally good, those in the same kind of block are better."""
    return 1.0 if left.field == right.field and _kind_around(left) is _kind_around(right) else 0.0


def _kind_around(entry: Entry) -> type | None:
    return type(entry.parent.node) if entry.parent is not None else None


def _ratio(left: Entry, right: Entry, one: _Keys, other: _Keys) -> float:
    matcher = SequenceMatcher(None, one.text(left), other.text(right), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else matcher.quick_ratio() / 2


def _same_target(left: ast.AST, right: ast.AST) -> bool:
    """Do both assign to the same names?"""
    if isinstance(left, ast.Assign) and isinstance(right, ast.Assign):
        return list(map(ast.dump, left.targets)) == list(map(ast.dump, right.targets))
    target, other = getattr(left, "target", None), getattr(right, "target", None)
    return target is not None and other is not None and ast.dump(target) == ast.dump(other)
