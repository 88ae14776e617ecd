"""The loops of a code object, as its text has them.

In: the node of a scope and its file's index. Out: `Loop`s in the order of the text: `for` and `while` statements,
and the loops of comprehensions, which run in this scope (a generator expression's do not, but for its first iterable).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from daifu_bc.analysis.source_codes import Comprehension, Origin, Scope
from daifu_bc.analysis.source_index import Definition
from daifu_bc.analysis.source_text import Place, Position, Text, end_of, start_of

_Statement = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its header's range; of what it iterates over or tests; of what it assigns to; of all of it.

    Ranges: lines from 1, columns in UTF-8 bytes, ends exclusive. `kind`: "For", "AsyncFor", "While" or
    "comprehension". `source`: the header on one line. `whole`: body included; a comprehension's is all of it.
    Where the compiler gives the instruction that asks for the next item: at the `subject` or at the `whole`,
    by version; the instruction after it, which stores or unpacks the item, is at the `target` in all of them.
    """

    lineno: int
    end_lineno: int
    col: int
    end_col: int
    kind: str
    source: str
    subject: tuple[int, int, int, int]
    target: tuple[int, int, int, int] | None
    whole: tuple[int, int, int, int]

    def holds(self, position: Position) -> bool:
        """Whether the instruction at `position` is part of the loop: of its header or its body."""
        lineno, _, column, _ = position
        if lineno is None:
            return False
        first, last, start, end = self.whole
        if column is None:
            return first <= lineno <= last
        return (first, start) <= (lineno, column) < (last, end)


def loops_of(origin: Origin) -> tuple[Loop, ...]:
    """The loops that run in the scope of `origin`."""
    text = origin.index.text
    loops: list[Loop] = []
    for node in _in_scope(origin.scope):
        if isinstance(node, _Statement):
            loops.append(_of_statement(node, text))
        elif isinstance(node, Comprehension) and (node is origin.scope or not isinstance(node, ast.GeneratorExp)):
            loops += [_of_generator(generator, node, text) for generator in node.generators]
    return tuple(sorted(loops, key=lambda loop: (loop.lineno, loop.col)))


def _in_scope(scope: Scope) -> Iterator[ast.AST]:
    """All nodes that run in the scope itself; a node that opens another one stands for what runs here of it."""
    stack: list[ast.AST] = [scope] if isinstance(scope, Comprehension) else _body_of(scope)
    while stack:
        node = stack.pop()
        yield node
        if node is scope or not isinstance(node, Definition | ast.Lambda | ast.GeneratorExp):
            stack += ast.iter_child_nodes(node)
        elif isinstance(node, ast.GeneratorExp):
            stack.append(node.generators[0].iter)
        elif isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *node.keywords]
        else:
            stack += [*getattr(node, "decorator_list", []), *node.args.defaults]
            stack += [default for default in node.args.kw_defaults if default is not None]


def _body_of(scope: ast.Module | Definition | ast.Lambda) -> list[ast.AST]:
    return [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)


def _of_statement(node: _Statement, text: Text) -> Loop:
    subject = node.test if isinstance(node, ast.While) else node.iter
    start, end = start_of(node), text.after_colon(end_of(subject))
    target = None if isinstance(node, ast.While) else node.target
    header = (start, end)
    return _loop(type(node).__name__, _one_line(text.slice(start, end)), header, subject, target, node)


def _of_generator(generator: ast.comprehension, node: Comprehension, text: Text) -> Loop:
    start, end = start_of(generator.target), max(end_of(part) for part in (generator.iter, *generator.ifs))
    keyword = "async for" if generator.is_async else "for"
    source = _one_line(f"{keyword} {text.slice(start, end)}")
    return _loop("comprehension", source, (start, end), generator.iter, generator.target, node)


def _loop(
    kind: str,
    source: str,
    header: tuple[Place, Place],
    subject: ast.expr,
    target: ast.expr | None,
    node: ast.expr | ast.stmt,
) -> Loop:
    (lineno, col), (end_lineno, end_col) = header
    stored = _range(target) if target is not None else None
    return Loop(lineno, end_lineno, col, end_col, kind, source, _range(subject), stored, _range(node))


def _range(node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
    (lineno, col), (end_lineno, end_col) = start_of(node), end_of(node)
    return lineno, end_lineno, col, end_col


def _one_line(source: str) -> str:
    return " ".join(source.split())
