"""What a module-level statement is: which names it binds, whether it may run again, whether it reads like another.

In: statements. Out: answers. Nothing runs here.
Always true: what is within functions is no part of a statement: functions are brought up to date in place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from daifu_bc.analysis.source_index import Definition

_ALIKE: Final = 0.6  # from this much of their text in common on, two statements are the same one, changed
_RUNS_CODE: Final = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements in the blocks of a compound statement, not those of functions and classes."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            child, Definition
        ):
            yield from inner(child)  # type: ignore[arg-type]


def same(one: ast.stmt, other: ast.stmt) -> bool:
    """Do both read the same, apart from what is in functions? (These are brought up to date in place.)"""
    if type(one) is not type(other):
        return False
    return ast.dump(one) == ast.dump(other) or ast.dump(without_bodies(one)) == ast.dump(
        without_bodies(other)
    )


def bind_the_same(one: ast.stmt, other: ast.stmt) -> bool:
    kinds = (ast.Assign, ast.AnnAssign, ast.TypeAlias)
    if isinstance(one, kinds) and isinstance(other, kinds):
        return not names_bound(one).isdisjoint(names_bound(other))
    if isinstance(one, ast.ImportFrom) and isinstance(other, ast.ImportFrom):
        return (one.module, one.level) == (other.module, other.level)
    return False


def read_alike(one: ast.stmt, other: ast.stmt) -> bool:
    if type(one) is not type(other) or (isinstance(other, ast.Assign | ast.AnnAssign) and names_bound(other)):
        return False  # another name is another variable
    return SequenceMatcher(None, ast.unparse(one), ast.unparse(other), autojunk=False).ratio() >= _ALIKE


class _Strip(ast.NodeTransformer):
    """What a statement is, apart from what is done within functions."""

    def visit_FunctionDef(self, node: Definition) -> ast.AST:
        return ast.Name(node.name)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return ast.Name("lambda")


def without_bodies(node: ast.AST) -> ast.AST:
    """A copy of `node` in which functions and classes are their names only."""
    return _Strip().visit(_copy(node))  # type: ignore[no-any-return]


def _copy(node: ast.AST) -> ast.AST:
    """As copy.deepcopy, many times faster."""
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            fields[name] = _copy(value)
        elif isinstance(value, list):
            fields[name] = [_copy(item) if isinstance(item, ast.AST) else item for item in value]
        else:
            fields[name] = value
    return type(node)(**fields)


def names_bound(statement: ast.stmt) -> set[str]:
    """Names that a simple statement, or a definition, binds."""
    if isinstance(statement, Definition):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.TypeAlias):
        return {statement.name.id}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    nodes = [node for target in targets if target is not None for node in ast.walk(target)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def binds_plainly(statement: ast.stmt) -> bool:
    """`name = value` where the value calls nothing."""
    if isinstance(statement, ast.TypeAlias):
        return True  # its value is made when it is asked for
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    plain = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)
    if not all(isinstance(node, plain) for target in targets for node in ast.walk(target)):
        return False
    return not any(isinstance(node, _RUNS_CODE) for node in _walk_outside_functions(statement.value))


def _walk_outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _walk_outside_functions(child)


def new_names(before: ast.Import | ast.ImportFrom, statement: ast.Import | ast.ImportFrom) -> ast.stmt:
    """The import, without the names that the old one bound: the program may have put something else there."""
    known = {(alias.name, alias.asname) for alias in before.names}
    same_module = getattr(before, "module", None) == getattr(statement, "module", None)
    aliases = [a for a in statement.names if not same_module or (a.name, a.asname) not in known]
    if not aliases:
        return ast.copy_location(ast.Pass(), statement)
    if isinstance(statement, ast.Import):
        return ast.copy_location(ast.Import(aliases), statement)
    return ast.copy_location(ast.ImportFrom(statement.module, aliases, statement.level), statement)


def asks_for_name(test: ast.expr) -> bool:
    """`if __name__ == "__main__":`, which is the program itself."""
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def is_text(statement: ast.stmt) -> bool:
    """A docstring, `pass`, `...`: nothing."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def one_line(statement: ast.stmt) -> str:
    """The statement in few words."""
    text = " ".join(ast.unparse(statement).split())
    return text if len(text) <= 60 else text[:57] + "..."


__all__ = ["asks_for_name", "bind_the_same", "binds_plainly", "inner", "is_text", "names_bound", "new_names",
           "one_line", "read_alike", "same", "without_bodies"]  # fmt: skip
