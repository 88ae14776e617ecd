"""A function's syntax tree, decomposed into cells.

In: the tree of a function. Out: `Cell`s, each with its statements as they were (with loops that call other cells), and
the rewritten tree of all of them. Always true: a cell holds no loop but those that call the cell of their body.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

CONTEXT = "_vaccine_context"
RESULT = "_vaccine_result"
BIND = "_vaccine_bind"
CRASHED = "_vaccine_crashed"
BREAK, RETURN = "_vaccine_break", "_vaccine_return"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_REFUSED = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Nonlocal, ast.ClassDef, ast.Match,
    ast.TryStar,
)  # fmt: skip


class CannotVaccinate(Exception):
    """The design has no way to do this."""


@dataclass
class Cell:
    """One piece: statements without loops of their own."""

    number: int
    in_loop: bool  # the body of a loop: `break` and `continue` leave it
    globals_: list[str]  # that the function declares: each cell has to
    statements: list[ast.stmt] = field(default_factory=list)  # rewritten

    @property
    def name(self) -> str:
        return f"_vaccine_cell_{self.number}"

    def function(self, statements: Sequence[ast.stmt], name: str = "") -> ast.FunctionDef:
        """A function that runs `statements` of this cell."""
        arguments = ast.arguments([], [ast.arg(CONTEXT)], None, [], [], None, [])
        declared: list[ast.stmt] = [ast.Global(self.globals_)] if self.globals_ else []
        body = declared + (list(statements) or [ast.Pass()])
        return ast.FunctionDef(name or self.name, arguments, body, [], type_params=[])


def names_of(function: ast.FunctionDef) -> set[str]:
    """The function's own variables: what it binds, arguments included; not what inner scopes bind."""
    bound = {argument.arg for argument in arguments_of(function.args)}
    globals_: set[str] = set()
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _REFUSED):
            raise CannotVaccinate(type(node).__name__)
        if isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            bound.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Global):
            globals_ |= set(node.names)
        if isinstance(node, _COMPREHENSIONS):
            bound |= {one.target.id for one in ast.walk(node) if isinstance(one, ast.NamedExpr)}
        elif not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return bound - globals_


def globals_of(function: ast.FunctionDef) -> set[str]:
    """What it declares as global itself."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Global):
            found |= set(node.names)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def arguments_of(arguments: ast.arguments) -> list[ast.arg]:
    """All of them, in the order of a call's binding."""
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]


class Decomposer(ast.NodeTransformer):
    """Rewrites names, jumps and loops; collects cells."""

    def __init__(self, names: set[str], globals_: set[str]) -> None:
        self.names, self.globals_ = names, globals_
        self.cells: list[Cell] = []
        self._cell: Cell | None = None
        self._hidden: list[set[str]] = []  # what the scopes around a name bind themselves

    def cell(self, statements: list[ast.stmt], in_loop: bool) -> Cell:
        """The cell of these statements, and those of the loops in them."""
        made = Cell(len(self.cells), in_loop, sorted(self.globals_))
        self.cells.append(made)
        before, self._cell = self._cell, made
        for statement in statements:
            new = self.visit(statement)
            made.statements += new if isinstance(new, list) else [new] if new is not None else []
        self._cell = before
        return made

    # Variables.

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not self._mine(node.id):
            return node
        found = ast.Subscript(ast.Name(CONTEXT, ast.Load()), ast.Constant(node.id), node.ctx)
        return ast.copy_location(found, node)

    def _mine(self, name: str) -> bool:
        """Whether it is in the context here."""
        return name in self.names and not any(name in hidden for hidden in self._hidden)

    def _stored(self, name: str, value: ast.expr, where: ast.AST) -> ast.stmt:
        target = ast.Subscript(ast.Name(CONTEXT, ast.Load()), ast.Constant(name), ast.Store())
        return _at(ast.Assign([target], value), where)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        value = self.visit(node.value)
        if not self._mine(node.target.id):
            return ast.copy_location(ast.NamedExpr(node.target, value), node)
        arguments = [ast.Name(CONTEXT, ast.Load()), ast.Constant(node.target.id), value]
        return _at(ast.Call(ast.Name(BIND, ast.Load()), arguments, []), node)

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        return node if self._cell is None else ast.copy_location(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return _at(ast.Assign([self.visit(node.target)], self.visit(node.value)), node)

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            found += [_at(ast.Import([alias]), node), *self._bound(name, node)]
        return found

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        names = [alias.asname or alias.name for alias in node.names]
        return [node, *(stored for name in names for stored in self._bound(name, node))]

    def _bound(self, name: str, where: ast.AST) -> list[ast.stmt]:
        """What a statement has bound as a local variable, put into the context."""
        return [self._stored(name, ast.Name(name, ast.Load()), where)] if self._mine(name) else []

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name is not None:
            node.body[:0] = self._bound(node.name, node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args = self.visit(node.args)  # defaults are evaluated out here
        inner = names_of(node) | globals_of(node)
        self._hidden.append(inner)
        cell, self._cell = self._cell, None
        node.body = _flat(self.visit(one) for one in node.body)
        self._cell = cell
        self._hidden.pop()
        return [node, *self._bound(node.name, node)]

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.args = self.visit(node.args)
        self._hidden.append({argument.arg for argument in arguments_of(node.args)})
        node.body = self.visit(node.body)
        self._hidden.pop()
        return node

    def _comprehension(self, node: ast.expr) -> ast.expr:
        stored = [one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        walrus = {id(one.target) for one in ast.walk(node) if isinstance(one, ast.NamedExpr)}
        first = node.generators[0]  # type: ignore[attr-defined]
        outer = self.visit(first.iter)  # evaluated out here
        first.iter = ast.Constant(None)
        self._hidden.append({one.id for one in stored if id(one) not in walrus})
        self.generic_visit(node)
        self._hidden.pop()
        first.iter = outer
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # Jumps become return indicators.

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = self.visit(node.value) if node.value is not None else ast.Constant(None)
        if self._cell is None:
            return _at(ast.Return(value), node)
        return _at(ast.Return(ast.Tuple([ast.Name(RETURN, ast.Load()), value], ast.Load())), node)

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        if self._cell is None:
            return node
        return _at(ast.Return(ast.Tuple([ast.Name(BREAK, ast.Load())], ast.Load())), node)

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return node if self._cell is None else _at(ast.Return(ast.Constant(None)), node)

    # Loops call the cell of their body.

    def visit_For(self, node: ast.For) -> ast.stmt:
        if self._cell is None:  # in a function defined inside: it is not vaccinated itself
            return self.generic_visit(node)  # type: ignore[return-value]
        node.iter, node.target = self.visit(node.iter), self.visit(node.target)
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        if self._cell is None:
            return self.generic_visit(node)  # type: ignore[return-value]
        node.test = self.visit(node.test)
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        body = self.cell(node.body, in_loop=True)
        template = ast.parse(
            f"try:\n {RESULT} = {body.name}({CONTEXT})\n"
            f"except BaseException as _vaccine_e:\n {RESULT} = {CRASHED}({body.number}, {CONTEXT}, _vaccine_e)\n"
            f"if {RESULT} is not None:\n if {RESULT}[0] is {BREAK}: break\n return {RESULT}\n"
        ).body
        node.body = [_at(statement, node) for statement in template]
        node.orelse = _flat(self.visit(one) for one in node.orelse)
        return node


def _flat(found: object) -> list[ast.stmt]:
    statements: list[ast.stmt] = []
    for one in found:  # type: ignore[attr-defined]
        statements += one if isinstance(one, list) else [one] if one is not None else []
    return statements


def _at[Node: ast.AST](made: Node, where: ast.AST) -> Node:
    """`made`, at the lines of `where`, so that a traceback tells the failing statement."""
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, where)
    return ast.fix_missing_locations(made)
