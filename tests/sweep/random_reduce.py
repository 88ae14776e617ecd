"""Makes a failing program smaller: statements are dropped, expressions give way to their parts.

In: source text and a test that tells whether a text still fails. Out: a text that fails too.
Always true: each step makes the text shorter, so it ends; a text that does not compile is never tried.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator


def reduce(source: str, fails: Callable[[str], bool], seconds: float = 40.0) -> str:
    """The smallest failing text that is found in time."""
    until = time.monotonic() + seconds
    best = ast.unparse(ast.parse(source))
    if not fails(best):
        return source
    going = True
    while going and time.monotonic() < until:
        going = False
        for smaller in _smaller(ast.parse(best)):
            if len(smaller) < len(best) and _compiles(smaller) and fails(smaller):
                best, going = smaller, True
                break
            if time.monotonic() > until:
                break
    return best


def _compiles(source: str) -> bool:
    try:
        compile(source, "<smaller>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _smaller(tree: ast.Module) -> Iterator[str]:
    """Texts of programs one step smaller, the biggest steps first."""
    places = [
        (number, name)
        for number, node in enumerate(ast.walk(tree))
        for name, value in ast.iter_fields(node)
        if isinstance(value, (list, ast.AST)) and not isinstance(value, ast.expr_context)
    ]
    for number, name in places:
        for change in _changes(_node(tree, number), name):
            changed = copy.deepcopy(tree)
            node = _node(changed, number)
            setattr(node, name, change)
            try:
                yield ast.unparse(ast.fix_missing_locations(changed))
            except (ValueError, TypeError, AttributeError, IndexError):
                continue


def _node(tree: ast.AST, number: int) -> ast.AST:
    for at, node in enumerate(ast.walk(tree)):
        if at == number:
            return node
    raise IndexError(number)


def _changes(node: ast.AST, name: str) -> Iterator[object]:
    value = getattr(node, name)
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield copy.deepcopy(value[:at] + value[at + 1 :])
            inner = [copy.deepcopy(part) for part in _bodies(item)]
            if inner and isinstance(item, ast.stmt):
                yield copy.deepcopy(value[:at]) + inner + copy.deepcopy(value[at + 1 :])
            if isinstance(item, ast.expr):
                for part in _parts(item):
                    yield [*copy.deepcopy(value[:at]), part, *copy.deepcopy(value[at + 1 :])]
    elif isinstance(value, ast.expr):
        yield None
        for part in _parts(value):
            yield part


def _bodies(node: ast.AST) -> list[ast.AST]:
    return [part for part in getattr(node, "body", []) if isinstance(part, ast.stmt)] if hasattr(node, "body") and isinstance(node.body, list) else []


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.expr) and part is not node and not isinstance(part, ast.Starred):
            yield copy.deepcopy(part)
    if not isinstance(node, ast.Constant):
        yield ast.Constant(1)
