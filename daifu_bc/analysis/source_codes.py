"""Which part of which file a code object was compiled from.

In: a code object of the compiler's. Out: `Origin`: the index of its file and the node of its scope, or None where the
text is missing, is not what the code was compiled from any more, or does not say.

A file may be edited while its code runs, and code may be compiled from it again. So the texts that a file was seen to
have are remembered (`remember_file`, when code of it is protected, is the time to see the first), and of those in
which a code object finds its function and the nodes of its instructions, the one that its file had when the code
was protected (`note_text`) is its own, or else the one with the most of them.

Always true: never an exception; what was found once stays, as long as it is remembered (a few hundred code objects).
"""

from __future__ import annotations

import ast
import linecache
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from types import CodeType

from daifu_bc.analysis.source_index import Definition, Entry, SourceIndex, own_nodes
from daifu_bc.analysis.source_text import Position, end_of

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = ast.Module | Definition | ast.Lambda | Comprehension

_MOST_FILES, _MOST_TEXTS, _MOST_CODES = 256, 3, 512
# Checked positions of a code object, and how many of them must be those of a node. The compiler gives some
# instructions positions of their own (clean-up, items of a dict comprehension), never most of them.
_SAMPLES, _ENOUGH = 64, 0.8


@dataclass(frozen=True, slots=True)
class Origin:
    """The file and the node that a code object came from."""

    index: SourceIndex
    scope: Scope


class _FileText:
    """A text that a file was seen to have; parsed when it is first needed."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    @cached_property
    def index(self) -> SourceIndex | None:
        try:
            return SourceIndex(self.lines)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None  # no Python, or more of it than can be parsed: unknown


_files: dict[str, list[_FileText]] = {}
_codes: dict[int, tuple[CodeType, Origin]] = {}
_noted: dict[int, tuple[weakref.ref[CodeType], _FileText]] = {}


def origin_of(code: CodeType) -> Origin | None:
    """Where `code` came from, as far as the texts of its file say."""
    known = _codes.get(id(code))
    if known is not None and known[0] is code:
        return known[1]
    remember_file(code.co_filename)
    noted = _noted_text(code)
    origin = _origin_in(noted, code) if noted is not None else None
    if origin is None:
        fitting = [o for text in _files.get(code.co_filename, []) if (o := _origin_in(text, code)) is not None]
        if not fitting:
            return None
        origin = fitting[0] if len(fitting) == 1 else max(fitting, key=lambda one: _fit(code, one.index, None))
    _remember(_codes, id(code), (code, origin), _MOST_CODES)
    return origin


def note_text(code: CodeType) -> None:
    """`code` is in use from now on: the text that its file was last seen to have is likely its own."""
    texts = _files.get(code.co_filename)
    if texts and _noted_text(code) is None:
        _noted[id(code)] = (weakref.ref(code, partial(_forget, id(code))), texts[0])


def is_text_known(code: CodeType) -> bool:
    """Has a text of its file been seen?"""
    return code.co_filename in _files


def note_texts(code: CodeType) -> None:
    """The same for `code` and all that is nested in it."""
    note_text(code)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            note_texts(const)


def _forget(key: int, _: object) -> None:
    _noted.pop(key, None)


def _noted_text(code: CodeType) -> _FileText | None:
    found = _noted.get(id(code))
    return found[1] if found is not None and found[0]() is code else None


def text_noted_for(code: CodeType) -> list[str] | None:
    """The text that the file of `code` had when it was protected."""
    noted = _noted_text(code)
    return noted.lines if noted is not None else None


def remember_file(filename: str) -> None:
    """See which text the file has now. Reads it only if it changed; parses nothing."""
    try:
        linecache.checkcache(filename)
        lines = linecache.getlines(filename)
    except ValueError:  # no file can have that name
        return
    texts = _files.get(filename, [])
    if lines and not (texts and texts[0].lines is lines):
        others = [text for text in texts if text.lines != lines]
        same = next((text for text in texts if text.lines == lines), None) or _FileText(lines)
        same.lines = lines
        _remember(_files, filename, [same, *others][:_MOST_TEXTS], _MOST_FILES)


def _remember[K, V](cache: dict[K, V], key: K, value: V, most: int) -> None:
    cache.pop(key, None)
    cache[key] = value
    while len(cache) > most:
        cache.pop(next(iter(cache), key), None)


def _origin_in(text: _FileText, code: CodeType) -> Origin | None:
    index = text.index
    scope = scope_in(code, index) if index is not None else None
    if index is None or scope is None:
        return None
    return Origin(index, scope) if _fit(code, index, _SAMPLES) >= _ENOUGH else None


def scope_in(code: CodeType, index: SourceIndex) -> Scope | None:
    """The node of `index` that `code` was compiled from, by its name, place and arguments."""
    if code.co_name == "<lambda>":
        lambdas = (node for node in _expressions(code, index) if isinstance(node, ast.Lambda))
        return next((node for node in lambdas if _is_body(node, code)), None)
    if code.co_name in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"):
        loops = (node for node in _expressions(code, index) if isinstance(node, Comprehension))
        return next((node for node in loops if _is_loop(node, code)), None)
    if code.co_name.startswith("<") or code.co_name == "__annotate__":
        return index.tree  # module code, and scopes of the compiler's own making
    found = index.definitions.get((code.co_name, code.co_firstlineno), [])
    return next((node for node in found if _same_arguments(node, code)), None)


def _expressions(code: CodeType, index: SourceIndex) -> Iterator[ast.AST]:
    """The nodes that begin on the first line of `code`."""
    for entry in index.entries_on(code.co_firstlineno):
        yield from (node for node in own_nodes(entry.node) if getattr(node, "lineno", 0) == code.co_firstlineno)


def _is_body(node: ast.Lambda, code: CodeType) -> bool:
    """Whether the body of this `lambda` holds what `code` does; two on one line differ in that."""
    start, end = (node.body.lineno, node.body.col_offset), end_of(node.body)
    places = [(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3]]
    if not _same_arguments(node, code):
        return False
    return all(start <= (line, column or 0) < end for line, column in places)


def _is_loop(node: Comprehension, code: CodeType) -> bool:
    """Whether `code` stores the first loop variable of this comprehension; two on one line differ in that."""
    return _range_of(node.generators[0].target) in code.co_positions()


def _same_arguments(node: Definition | ast.Lambda, code: CodeType) -> bool:
    if isinstance(node, ast.ClassDef):
        return not code.co_argcount
    named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    # Private names are spelled with their class in code.
    return len(named) == len(names) and all(name.endswith(arg.arg) for arg, name in zip(named, names, strict=True))


def _fit(code: CodeType, index: SourceIndex, samples: int | None) -> float:
    """How many of the instructions, or of so many samples, are where the text has a node: from 0 to 1."""
    positions = [p for p in code.co_positions() if p[0] and p[2] is not None and (p[2], p[3]) != (0, 0)]
    sample = positions[:: len(positions) // samples + 1] if samples else positions
    return sum(_is_node(position, index) for position in sample) / len(sample) if sample else 1.0


def _is_node(position: Position, index: SourceIndex) -> bool:
    line, end_line, column, end_column = position
    entry = index.entry_at((line or 0, column or 0))
    if entry is None:
        return False
    if entry.ranges is None:
        entry.ranges = frozenset(_ranges_of(entry))
    return position in entry.ranges or (None, end_line, None, end_column) in entry.ranges


def _ranges_of(entry: Entry) -> Iterator[Position]:
    for node in own_nodes(entry.node):
        yield _range_of(node)
        # Of a call or attribute over several lines, only the part from the attribute's name on is in the position.
        if isinstance(node, ast.Call | ast.Attribute) and node.lineno != node.end_lineno:
            yield None, node.end_lineno, None, node.end_col_offset


def _range_of(node: ast.AST) -> Position:
    values = (getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"))
    line, end_line, column, end_column = values
    return line, end_line, column, end_column
