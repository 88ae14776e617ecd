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
    at, failed = 0, 0
    while failed < len(places := _places(ast.parse(best))) and time.monotonic() < until:
        at %= len(places)
        found = next(
            (text for text in _smaller(ast.parse(best), *places[at]) if _fits(text, best, fails)), None
        )
        if found is None:
            at, failed = at + 1, failed + 1
        else:
            best, failed = found, 0
    return best


def _fits(text: str, best: str, fails: Callable[[str], bool]) -> bool:
    return len(text) < len(best) and _compiles(text) and fails(text)


def _compiles(source: str) -> bool:
    try:
        compile(source, "<smaller>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _places(tree: ast.Module) -> list[tuple[int, str]]:
    """Where something can be changed: the number of a node and one of its fields."""
    return [
        (number, name)
        for number, node in enumerate(ast.walk(tree))
        for name, value in ast.iter_fields(node)
        if isinstance(value, (list, ast.AST)) and not isinstance(value, ast.expr_context)
    ]


def _smaller(tree: ast.Module, number: int, name: str) -> Iterator[str]:
    """Texts of programs that are smaller at one place, the biggest steps first."""
    for change in _changes(_node(tree, number), name):
        changed = copy.deepcopy(tree)
        setattr(_node(changed, number), name, change)
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
    body = getattr(node, "body", [])
    return [part for part in body if isinstance(part, ast.stmt)] if isinstance(body, list) else []


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.expr) and part is not node and not isinstance(part, ast.Starred):
            yield copy.deepcopy(part)
    if not isinstance(node, ast.Constant):
        yield ast.Constant(1)
