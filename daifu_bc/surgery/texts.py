"""The text that a function was made from and the text that takes its place, both compiled.

In: the function's code as the compiler made it, and a file or a text. Out: `Edit`, old and new side by side.
Always true: nothing of either text runs; the new code has the free variables of the old one, and what was a cell
variable stays one (the closures that captured it go on sharing it); tracebacks and `inspect` find the new text.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType

from daifu_bc.analysis.source_codes import Origin, origin_of, remember_file, scope_in
from daifu_bc.analysis.source_index import Definition, SourceIndex
from daifu_bc.errors import CannotResume

FUTURE = 0x1FF0000  # flags of `from __future__ import ...` in co_flags


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two: a function's code (as the compiler made it), its text, and where in the text it is."""

    code: CodeType
    origin: Origin
    module: CodeType | None  # code of the whole file; None where there is only the function's text

    @property
    def lines(self) -> list[str]:
        return self.origin.index.text.lines


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """A function as it is and as it is to be."""

    old: Side
    new: Side

    @property
    def is_whole_file(self) -> bool:
        """Does the rest of the file come along?"""
        return self.new.module is not None and self.new.code.co_filename == home_of(self.old.code.co_filename)


def read_edit(code: CodeType, source: str | None, path: str | None, known: Iterable[str] = ()) -> Edit:
    """The edit of `code` to its text in `source`, in file `path`, or in the file it came from.

    `known`: names of the enclosing functions, which `source` alone does not tell from globals. Asked again about the
    same text, it gives the same edit. Raises CannotResume.
    """
    path = home_of(code.co_filename) if path is None else path
    lines = source.splitlines(keepends=True) if source is not None else _read(path)
    key = (id(code), tuple(lines), path if source is None else None, frozenset(known))
    found = _edits.get(key)
    if found is None:
        old = _old_side(code)
        new = _new_from_text(old, lines, known) if source is not None else _new_from_file(old, path, lines)
        found = _edits[key] = Edit(old, new)
        while len(_edits) > _MOST_EDITS:
            del _edits[next(iter(_edits))]
    return found


def read_new(code: CodeType, source: str | None, path: str | None) -> Edit:
    """As `read_edit`, where the text that `code` was made from is not known: there is nothing to compare with."""
    path = home_of(code.co_filename) if path is None else path
    index = SourceIndex([])
    old = Side(code, Origin(index, index.tree), None)
    lines = source.splitlines(keepends=True) if source is not None else _read(path)
    return Edit(old, _new_from_text(old, lines, ()) if source is not None else _new_from_file(old, path, lines))


_MOST_EDITS = 8
_edits: dict[tuple[object, ...], Edit] = {}


def _old_side(code: CodeType) -> Side:
    origin = origin_of(code)
    if origin is None:
        raise CannotResume(
            f"surgery: the text that {code.co_qualname} was made from is not known ({code.co_filename} is not there, "
            "or was changed before daifu_bc saw it), so there is nothing to compare the new text with; "
            "go on with retry, skip, jump or return"
        )
    return Side(code, origin, None)


def _new_from_file(old: Side, path: str, lines: list[str]) -> Side:
    home = home_of(old.code.co_filename)
    filename = home if path == home or _is_same(path, home) else path
    if filename == old.code.co_filename and lines == old.lines:
        raise CannotResume(f"surgery: {filename} is what runs already; save the change first, or give source=")
    tree = parse_module("".join(lines), filename)
    refresh(filename, lines)
    return _compiled(old, tree, filename, lines, whole=True)


def refresh(filename: str, lines: list[str]) -> None:
    """Let tracebacks show these lines of a file, also where it was saved twice within one tick of its clock."""
    linecache.checkcache(filename)
    if linecache.getlines(filename) != lines:
        linecache.updatecache(filename)
    remember_file(filename)


def _new_from_text(old: Side, given: list[str], known: Iterable[str]) -> Side:
    text = textwrap.dedent("".join(given))
    if not text.endswith("\n"):
        text += "\n"
    filename = _name_for(old.code.co_filename)
    tree = parse_module(text, filename)
    if old.code.co_name != "<module>":
        tree = _in_its_scopes(old, tree, known)
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)
    return _compiled(old, tree, filename, lines, whole=old.code.co_name == "<module>")


def _read(path: str) -> list[str]:
    try:
        with tokenize.open(path) as file:
            return file.read().splitlines(keepends=True)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        linecache.checkcache(path)
        lines = linecache.getlines(path)  # a notebook's cell, a zip file
        if lines:
            return list(lines)
        raise CannotResume(f"surgery: {path} cannot be read ({error}); give the new text as source=") from error


def _is_same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def parse_module(text: str, filename: str) -> ast.Module:
    """The tree of a new text. Raises CannotResume."""
    try:
        return ast.parse(text, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotResume(f"surgery: the new text is no Python: {error}; nothing was changed") from error


_count = 0
_homes: dict[str, str] = {}  # name of a text that is in no file -> the file of the function


def home_of(filename: str) -> str:
    """The file that a function came from before its text was given."""
    return _homes.get(filename, filename)


def _name_for(filename: str) -> str:
    """What tracebacks call a text that is in no file."""
    global _count
    _count += 1
    home = home_of(filename)
    name = f"<surgery {_count} of {Path(home).name}>"
    _homes[name] = home
    return name


# The text of one function: it gets the scopes around it that its code was compiled in.


def _in_its_scopes(old: Side, tree: ast.Module, known: Iterable[str]) -> ast.Module:
    name = old.code.co_name
    found = [node for node in ast.walk(tree) if isinstance(node, Definition) and node.name == name]
    if not found or isinstance(found[0], ast.ClassDef) == bool(old.code.co_flags & CO_NEWLOCALS):
        what = "function" if old.code.co_flags & CO_NEWLOCALS else "class"
        raise CannotResume(f"surgery: the new text has no {what} {name}; give the whole of {old.code.co_qualname}")
    if name.startswith("<"):
        raise CannotResume(f"surgery: {name} has no text of its own; edit the file, or the function it is in")
    body: ast.stmt = found[0]
    for scope in reversed(_scopes_of(old.code.co_qualname)):
        if scope.is_class:
            body = ast.ClassDef(scope.name, bases=[], keywords=[], body=[body], decorator_list=[], type_params=[])
        else:
            args = _arguments(sorted({*old.code.co_freevars, *known} - {"__class__"}))
            body = ast.FunctionDef(scope.name, args, [body], decorator_list=[], type_params=[])
    wrapped = ast.Module(body=[body], type_ignores=[])
    return ast.fix_missing_locations(wrapped)


@dataclass(frozen=True, slots=True)
class _Scope:
    name: str
    is_class: bool


def _scopes_of(qualname: str) -> list[_Scope]:
    """The scopes around, outermost first: `f.<locals>.C.m` stands in function f and class C."""
    parts = qualname.split(".")[:-1]
    scopes: list[_Scope] = []
    for part in parts:
        if part == "<locals>":
            scopes[-1] = _Scope(scopes[-1].name, False)
        else:
            scopes.append(_Scope(part if part.isidentifier() else "scope", True))
    return scopes


# Compiling: the code of the function among that of its file.


def _compiled(old: Side, tree: ast.Module, filename: str, lines: list[str], *, whole: bool) -> Side:
    module = compile_module(tree, filename, old.code)
    code = _counterpart(old, module)
    lacking = _to_keep(old.code, code)
    if lacking:
        node = _node_of(tree, code)
        if node is not None:
            node.body.append(_mention(lacking, node))
            module = compile_module(ast.fix_missing_locations(tree), filename, old.code)
            code = _counterpart(old, module)
    _check(old.code, code)
    remember_file(filename)
    index = SourceIndex(lines)
    scope = scope_in(code, index)
    if scope is None:
        raise CannotResume(f"surgery: {code.co_qualname} was not found in the new text")
    return Side(code, Origin(index, scope), module if whole else None)


def compile_module(tree: ast.Module, filename: str, like: CodeType) -> CodeType:
    """The code of a new text, with the `from __future__ import` of `like`. Raises CannotResume."""
    try:
        code: CodeType = compile(tree, filename, "exec", flags=like.co_flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CannotResume(f"surgery: the new text does not compile: {error}; nothing was changed") from error
    return code


def _counterpart(old: Side, module: CodeType) -> CodeType:
    """The code in `module` that has the qualified name of the old one; of several, the one in the same place."""
    wanted = old.code.co_qualname
    found = [code for code in codes_in(module) if code.co_qualname == wanted]
    if not found:
        raise CannotResume(f"surgery: the new text has no {wanted}; it must keep its name and the scopes around it")
    if len(found) == 1:
        return found[0]
    before = [code for code in _old_codes(old) if code.co_qualname == wanted]
    at = next((i for i, code in enumerate(before) if code == old.code or _same_place(code, old.code)), None)
    if at is None or len(before) != len(found):
        raise CannotResume(f"surgery: the new text has {len(found)} times {wanted}: it is not clear which one is meant")
    return found[at]


def _old_codes(old: Side) -> list[CodeType]:
    tree = ast.parse("".join(old.lines))
    return list(codes_in(compile_module(tree, old.code.co_filename, old.code)))


def _same_place(one: CodeType, other: CodeType) -> bool:
    return one.co_firstlineno == other.co_firstlineno and list(one.co_positions()) == list(other.co_positions())


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """`code` and the code nested in it, in the order of the text."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes_in(const)


def _to_keep(old: CodeType, new: CodeType) -> list[str]:
    """Names that must stay cells (others share them) or free variables (the closure has them)."""
    captured = [name for name in old.co_cellvars if name in new.co_varnames and name not in new.co_cellvars]
    known = {*new.co_freevars, *new.co_varnames, *new.co_cellvars}
    return captured + [name for name in old.co_freevars if name not in known]


def _node_of(tree: ast.Module, code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    named = (node for node in functions if node.name == code.co_name)
    return next((node for node in named if _first_line(node) == code.co_firstlineno), None)


def _first_line(node: Definition) -> int:
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def _mention(names: list[str], node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """`if 0: lambda: (a, b)`: the compiler makes no code of it, but captures the names."""
    loads: list[ast.expr] = [ast.Name(id=name, ctx=ast.Load()) for name in names]
    capture = ast.Expr(ast.Lambda(args=_arguments([]), body=ast.Tuple(elts=loads, ctx=ast.Load())))
    mention = ast.If(test=ast.Constant(value=0), body=[capture], orelse=[])
    return ast.copy_location(mention, node.body[-1])


def _arguments(names: list[str]) -> ast.arguments:
    args = [ast.arg(name) for name in names]
    return ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])


_KINDS = {0x20: "generator", 0x80: "coroutine", 0x200: "asynchronous generator"}


def _check(old: CodeType, new: CodeType) -> None:
    mask = sum(_KINDS)
    if old.co_flags & mask != new.co_flags & mask:
        was, is_now = (_KINDS.get(code.co_flags & mask, "plain function") for code in (old, new))
        raise CannotResume(
            f"surgery: {old.co_qualname} was a {was} and is a {is_now} in the new text; its caller waits for a {was}"
        )


__all__ = ["FUTURE", "Edit", "Side", "codes_in", "compile_module", "home_of", "parse_module", "read_edit", "read_new",
           "refresh"]  # fmt: skip
