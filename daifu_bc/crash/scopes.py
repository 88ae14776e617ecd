"""Scopes: what code means by a name, and an action's text compiled as if it stood in another code object's scope.

In: original code objects; syntax trees that stand in for a function or a class body. Out: class names that mangle,
the names that code reads as globals, code objects compiled as if they were written there.

Always true: nothing here runs the program's code or reads a frame.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType

from daifu_bc.crash.snippet import Snippet
from daifu_bc.errors import DaifuError

# No program can have these names: the compiler takes them from a syntax tree, the parser from no text.
AROUND, ACTION, FIRST, RESULT = "(around)", "(action)", "(first)", "(result)"

_OF_GLOBALS = frozenset({"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL"})


def class_around(code: CodeType) -> str:
    """The qualified name of the innermost class whose text `code` stands in, "" if in none."""
    parts = code.co_qualname.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        parts = parts[:-2]
    return ".".join(parts)


def mangle(name: str, class_name: str) -> str:
    """`name` as the compiler spells it inside class `class_name`."""
    stem = class_name.lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{stem}{name}" if private and stem else name


def is_global_in(code: CodeType, name: str) -> bool:
    """Whether `code`, or code nested in it, reads or sets `name` as a global."""
    return any(name in part.co_names for part in _with_nested(code)) and name in _globals_of(code)


def compile_in_function(
    snippet: Snippet, code: CodeType, around: Iterable[str], *, nonlocals: set[str], module_names: set[str]
) -> CodeType:
    """The snippet as a function nested in one that has the names `around`; its code has the needed ones as free."""
    body: list[ast.stmt] = [ast.Pass(), *snippet.body]
    if snippet.expression is not None:
        body = [ast.Return(value=snippet.expression)]
    for declaration, names in ((ast.Nonlocal, nonlocals), (ast.Global, module_names)):
        if names:
            body.insert(0, declaration(names=sorted(names)))
    inner = _function(ACTION, [FIRST] if wants_first(snippet, code) else [], body)
    outer: ast.stmt = _function(AROUND, around, [inner])
    class_name = class_around(code).rpartition(".")[2]
    place = f"{AROUND}.<locals>.{ACTION}"
    if class_name:
        outer, place = _class(class_name, [outer]), f"{class_name}.{place}"
    compiled = _renamed(_find(snippet.compile([outer]), ACTION), place, code.co_qualname)
    return compiled.replace(co_name=code.co_name)


def compile_in_class(snippet: Snippet, code: CodeType, around: Iterable[str]) -> CodeType:
    """The snippet as the body of the class that `code` is the body of; an expression's value is stored as RESULT."""
    body: list[ast.stmt] = [ast.Pass(), *snippet.body]
    if snippet.expression is not None:
        body = [ast.Assign(targets=[ast.Name(id=RESULT, ctx=ast.Store())], value=snippet.expression)]
    compiled = snippet.compile([_function(AROUND, around, [_class(code.co_name, body)])])
    return _renamed(_find(compiled, code.co_name), f"{AROUND}.<locals>.{code.co_name}", code.co_qualname)


def wants_first(snippet: Snippet, code: CodeType) -> bool:
    """Whether the snippet may look at the first argument of the function it runs in, as zero-argument super does."""
    return "super" in snippet.scope.mentioned and code.co_argcount > 0


def protect_nested(code: CodeType, protect: Callable[[CodeType], CodeType]) -> CodeType:
    """`code` with what is nested in it protected; itself not: what an action raises is for who asked for the action."""
    consts = tuple(_protected(c, protect) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=consts)


def _protected(code: CodeType, protect: Callable[[CodeType], CodeType]) -> CodeType:
    try:
        return protect(code)
    except DaifuError:  # left as it is; what is nested in it may still be protected
        return protect_nested(code, protect)


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant)


@lru_cache(maxsize=32)
def _globals_of(code: CodeType) -> frozenset[str]:
    instructions = (i for part in _with_nested(code) for i in dis.get_instructions(part))
    return frozenset(str(i.argval) for i in instructions if i.opname in _OF_GLOBALS)


def _function(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    function = ast.parse("def f(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.name, function.body = name, body
    function.args.args = [ast.arg(arg=parameter) for parameter in parameters]
    return function


def _class(name: str, body: list[ast.stmt]) -> ast.ClassDef:
    class_ = ast.parse("class C: pass").body[0]
    assert isinstance(class_, ast.ClassDef)
    class_.name, class_.body = name, body
    return class_


def _find(code: CodeType, name: str) -> CodeType:
    """The code object called `name` on the way inwards; there is one nested code object at each step."""
    found = next(c for c in code.co_consts if isinstance(c, CodeType))
    return found if found.co_name == name and AROUND in found.co_qualname else _find(found, name)


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    """`code` and what is nested in it with the qualified names it would have had in place of the stand-in."""

    def rename(text: str) -> str:
        return new + text[len(old) :] if text.startswith(old) else text

    consts = tuple(
        _renamed(c, old, new) if isinstance(c, CodeType) else rename(c) if isinstance(c, str) else c
        for c in code.co_consts
    )
    return code.replace(co_consts=consts, co_qualname=rename(code.co_qualname))
