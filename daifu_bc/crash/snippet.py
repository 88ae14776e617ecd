"""An action's text, read: what it does to names in its own scope, its syntax tree made fit to stand in another one.

In: source (a statement, several, or an expression; indented as it was copied is fine) and the code object it is to
run in. Out: `Snippet`. Raises the SyntaxError that Python raises for the text outside of a function (`return`,
`yield` and `await` have no meaning in an action).

Always true: positions are those of the text, and `linecache` knows the text under the snippet's file name, so
tracebacks show its lines; so does `inspect.getsource` for the functions it defines.
"""

from __future__ import annotations
import __future__

import ast
import itertools
import linecache
import textwrap
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType

_numbers = itertools.count(1)
_remembered: deque[str] = deque()
_MOST_REMEMBERED = 1000

_FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag


@dataclass(slots=True)
class OwnScope:
    """What a piece of text does to names in its own scope, functions and classes inside it left aside."""

    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)  # anywhere, inner scopes included


@dataclass(frozen=True, slots=True)
class Snippet:
    """An action's text, parsed. `flags`: the compiler's, as in the module of the code it runs in."""

    filename: str
    flags: int
    futures: Sequence[ast.stmt]
    body: list[ast.stmt]
    scope: OwnScope

    @property
    def expression(self) -> ast.expr | None:
        """The expression that the whole text is, if it is one."""
        only = self.body[0] if len(self.body) == 1 else None
        return only.value if isinstance(only, ast.Expr) else None

    @property
    def star_import(self) -> ast.ImportFrom | None:
        """The `from module import *` that this part is, if it is one."""
        only = self.body[0] if len(self.body) == 1 else None
        return only if isinstance(only, ast.ImportFrom) and _imports_star(only) else None

    def parts(self) -> Iterator[Snippet]:
        """The text cut at its star imports: which names come after one is known only when it has run."""
        stars = [i for i, statement in enumerate(self.body) if _imports_star(statement)]
        cuts = sorted({0, *stars, *(i + 1 for i in stars), len(self.body)})
        for start, end in itertools.pairwise(cuts):
            body = self.body[start:end]
            scope = own_scope(body)
            scope.globals.update(self.scope.globals)
            yield replace(self, body=body, scope=scope)

    def compile(self, body: list[ast.stmt]) -> CodeType:
        """`body` as a module's code, under this snippet's name and flags."""
        return _compile(ast.Module(body=[*self.futures, *body], type_ignores=[]), self.filename, self.flags)

    def compile_expression(self, expression: ast.expr) -> CodeType:
        """`expression` as code for `eval`."""
        return _compile(ast.Expression(body=expression), self.filename, self.flags)


def read_snippet(source: str, code: CodeType, nonlocals: tuple[str, ...]) -> Snippet:
    """Parse `source`, an action to run in `code`, where `nonlocal` may name `nonlocals`."""
    text = textwrap.dedent(source.strip("\n")) if source.lstrip("\n")[:1] in (" ", "\t") else source
    filename = f"<crash action {next(_numbers)}>"
    _remember(filename, text)
    flags = code.co_flags & _FUTURE_FLAGS
    _check(text, filename, flags)
    tree = _parse(text, filename, flags)
    scope = own_scope(tree.body)
    for name in sorted(scope.nonlocals.difference(nonlocals)):
        raise SyntaxError(f"no binding for nonlocal {name!r} found")
    futures = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    return Snippet(filename, flags, futures, [_Fit().visit(s) for s in tree.body if s not in futures], scope)


def _imports_star(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def own_scope(body: list[ast.stmt]) -> OwnScope:
    """What `body` does to names in its own scope."""
    reader = _ScopeReader()
    for statement in body:
        reader.visit(statement)
        reader.scope.mentioned.update(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
    return reader.scope


def _check(text: str, filename: str, flags: int) -> None:
    """Let Python say what is wrong with the text, as a module's, before any of it runs; of `nonlocal`, later."""
    _compile(_WithoutNonlocal().visit(_parse(text, filename, flags)), filename, flags)


def _parse(text: str, filename: str, flags: int) -> ast.Module:
    tree: ast.Module = compile(text, filename, "exec", flags=flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    return tree


def _compile(tree: ast.Module | ast.Expression, filename: str, flags: int) -> CodeType:
    mode = "exec" if isinstance(tree, ast.Module) else "eval"
    try:
        code: CodeType = compile(ast.fix_missing_locations(tree), filename, mode, flags=flags, dont_inherit=True)
    except SyntaxError as error:
        if error.text is None and error.lineno is not None:  # compiled from a tree, it has no text
            error.text = linecache.getline(filename, error.lineno) or None
        raise
    return code


def _remember(filename: str, text: str) -> None:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[filename] = (len(text), None, lines, filename)
    _remembered.append(filename)
    if len(_remembered) > _MOST_REMEMBERED:
        linecache.cache.pop(_remembered.popleft(), None)


class _WithoutNonlocal(ast.NodeTransformer):
    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return ast.copy_location(ast.Pass(), node)


class _Fit(_WithoutNonlocal):
    """Makes the text fit a scope in which our declarations say where its names live.

    A name that is declared cannot be annotated: annotations of variables, which no function evaluates, go. `nonlocal`
    names are variables of the frame anyway. Inner scopes are left as they are.
    """

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name) or not node.simple:
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)


class _ScopeReader(ast.NodeVisitor):
    """Collects what statements bind and declare in the scope they stand in."""

    def __init__(self) -> None:
        self.scope = OwnScope()
        self._comprehensions = 0

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load) and not self._comprehensions:
            self.scope.bound.add(node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.scope.bound.add(node.target.id)  # in a comprehension too: it binds around it
        self.visit(node.value)

    def _visit_comprehension(self, node: ast.AST) -> None:
        self._comprehensions += 1
        self.generic_visit(node)
        self._comprehensions -= 1

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.bound.add(node.name)
        self._visit_all([*node.decorator_list, *node.args.defaults, *node.args.kw_defaults])

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scope.bound.add(node.name)
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        if node.name != "*":
            self.scope.bound.add(node.asname or node.name.partition(".")[0])

    def _visit_named(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.scope.bound.add(node.name)
        self.generic_visit(node)

    visit_ExceptHandler = visit_MatchAs = visit_MatchStar = _visit_named

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.scope.bound.add(node.rest)
        self.generic_visit(node)

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)
