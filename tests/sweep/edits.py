"""Programs edited as a reader would edit them by hand to get what a restart means.

In: a program, where it fails. Out: the statement there, and functions of the edited text.
Always true: an edit only adds `try`, `continue`, `return` and a loop; lines and names stay where they were, so that
logs can be compared with their places.

    skip    try: S                 redo   try: S                  (S is the failing statement)
            except Injected: pass         except Injected: S again
    next    the body of the innermost loop in try/except Injected: continue
    return  the body of the function in try/except Injected: return VALUE
    jump    the body of the function in a loop that begins again: a jump to its first line
"""

from __future__ import annotations
import __future__ as future

import ast
import copy
import functools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from sweep.collect import Declared
from sweep.effects import Injected

NAME = "_Injected_"
VALUE = 77
Function = ast.FunctionDef | ast.AsyncFunctionDef
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Place:
    """A failing instruction: its code object, and its line and column in the text (columns in bytes)."""

    code: CodeType
    line: int
    column: int


def place_of(code: CodeType, offset: int) -> Place | None:
    """Where an instruction is; None where the compiler does not say."""
    line, _, column, _ = list(code.co_positions())[offset // 2]
    return Place(code, line, column) if line is not None and column is not None else None


@functools.cache
def text_of(program: Declared) -> Function | None:
    """The syntax tree of a program's function."""
    code = program.function.__code__
    source = "".join(linecache.getlines(code.co_filename))
    for node in ast.parse(source).body if source else []:
        if isinstance(node, Function) and first_line(node) == code.co_firstlineno:
            if any(isinstance(inner, ast.Global) for inner in ast.walk(node)):
                return None  # what a run leaves behind in the module changes the next
            node.decorator_list.clear()  # they only mark
            return node
    return None


def first_line(node: ast.stmt) -> int:
    """The line on which a statement begins, decorators included."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def _holds(node: Any, place: Place) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    inside = start <= (place.line, place.column) < end
    return inside or any(_holds(one, place) for one in getattr(node, "decorator_list", []))


@dataclass(frozen=True, slots=True)
class Spot:
    """A failing statement and what is around it, all of one function, outermost first."""

    place: Place
    path: tuple[ast.AST, ...]

    @property
    def statement(self) -> ast.stmt:
        """The innermost statement."""
        return next(node for node in reversed(self.path) if isinstance(node, ast.stmt))

    @property
    def function(self) -> Function | None:
        """The function that the statement is in; None in a class body."""
        return self._scope if isinstance(self._scope, Function) else None

    @property
    def class_body(self) -> ast.ClassDef | None:
        """The class body that the statement is in; None in a function."""
        return self._scope if isinstance(self._scope, ast.ClassDef) else None

    @property
    def _scope(self) -> ast.AST | None:
        around = self.path[: self.path.index(self.statement)]
        return next((node for node in reversed(around) if isinstance(node, Function | ast.ClassDef)), None)

    @property
    def loop(self) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop that has the failing statement in its body; None if a loop's header fails, a
        comprehension's included.
        """
        if isinstance(self.statement, LOOPS) or any(isinstance(node, COMPREHENSIONS) for node in self.path):
            return None
        for node, child in zip(self.path[::-1][1:], self.path[::-1], strict=False):
            if isinstance(node, LOOPS) and child in node.body:
                return node
            if isinstance(node, Function | ast.ClassDef) and child in node.body:
                return None
        return None


def spot(program: Declared, place: Place) -> Spot | None:
    """The statement that fails at `place`; None in lambdas, generator expressions, annotations, and other texts."""
    tree = text_of(program)
    if tree is None or place.code.co_filename != program.function.__code__.co_filename:
        return None
    if not _holds(tree, place):
        return None
    found = Spot(place, tuple(_path(tree, place)))
    scope = found.function or found.class_body
    return found if scope is not None and scope.name == place.code.co_name else None


def _path(node: ast.AST, place: Place) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno") and _holds(child, place):
            yield from _path(child, place)
            return
        if isinstance(child, ast.match_case | ast.withitem | ast.comprehension | ast.arguments):
            found = list(_path(child, place))
            if len(found) > 1:
                yield from found
                return


def guarded(body: list[ast.stmt], then: list[ast.stmt], orelse: list[ast.stmt] | None = None) -> ast.stmt:
    """`body` in a `try` whose handler of what was injected is `then`."""
    handler = ast.ExceptHandler(ast.Name(NAME, ast.Load()), None, then)
    return ast.Try(body, [handler], orelse or [], [])


def _twice(statement: ast.stmt) -> list[ast.stmt]:
    """A statement, and again if it failed: behind the handler, in which sys.exception() would be another."""
    failed, went = ast.parse(f"{NAME}.failed = True\n{NAME}.failed = False").body
    again = ast.If(ast.parse(f"{NAME}.failed", mode="eval").body, [copy.deepcopy(statement)], [])
    return [guarded([statement], [failed], [went]), again]


def edited(program: Declared, decision: str, at: Spot) -> FunctionType:
    """The program as someone would have written it who knew of the failure."""
    tree = text_of(program)
    assert tree is not None
    memo: dict[int, Any] = {}
    changed = copy.deepcopy(tree, memo)
    if decision in ("skip", "redo"):
        statement = memo[id(at.statement)]
        skipped = [guarded([statement], [ast.Pass()])]
        _replace(changed, statement, skipped if decision == "skip" else _twice(statement))
    elif decision == "next":
        loop = memo[id(at.loop)]
        loop.body = [guarded(loop.body, [ast.Continue()])]
    else:
        function = memo[id(at.function)]
        function.body = [_from_start(function) if decision == "jump" else _returning(function)]
    return _compiled(program, changed)


def returned(function: Function | None) -> int | None:
    """What a function can return instead."""
    return None if function is None or function.name == "__init__" else VALUE


def _returning(function: Function) -> ast.stmt:
    return guarded(function.body, [ast.Return(ast.Constant(returned(function)))])


def _from_start(function: Function) -> ast.stmt:
    body: list[ast.stmt] = [*function.body, ast.Return(None)]
    return ast.While(ast.Constant(True), [guarded(body, [ast.Continue()])], [])


def _replace(tree: ast.AST, old: ast.stmt, new: list[ast.stmt]) -> None:
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and old in value:
                value[value.index(old) : value.index(old) + 1] = new
                return
    raise LookupError(ast.unparse(old))


def _compiled(program: Declared, tree: Function) -> FunctionType:
    code = program.function.__code__
    flags = code.co_flags & future.annotations.compiler_flag
    module = ast.fix_missing_locations(ast.Module([tree], []))
    space, namespace = program.function.__globals__, dict[str, Any]()
    space[NAME] = Injected
    exec(compile(module, code.co_filename, "exec", flags, dont_inherit=True), space, namespace)
    made = namespace[tree.name]
    assert isinstance(made, FunctionType)
    return made
