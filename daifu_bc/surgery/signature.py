"""What a changed `def` line asks of a living function: defaults, annotations, the docstring.

In: the old and the new node, the living function's values. Out: `Signature`: what to evaluate and what to keep.
Always true: a default whose text is the same stays the very object that it is; nothing is evaluated here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef
NO_DEFAULT: Final = object()


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """What is new about a function besides its code."""

    defaults: dict[str, ast.expr]  # parameter -> expression to be evaluated
    kept: frozenset[str]  # parameters whose default is as it was
    new: Function
    is_default_changed: bool
    are_annotations_changed: bool
    is_docstring_changed: bool


def signature_of(old: Function, new: Function) -> Signature | None:
    """What changed between two `def`s; None if nothing did."""
    before, after = dict(_defaults(old.args)), dict(_defaults(new.args))
    dumps = {name: ast.dump(value) for name, value in before.items()}
    kept = frozenset(name for name, value in after.items() if dumps.get(name) == ast.dump(value))
    fresh = {name: value for name, value in after.items() if name not in kept}
    defaults = bool(fresh) or before.keys() != after.keys() or _names(old.args) != _names(new.args)
    annotations = _annotations(old) != _annotations(new)
    docstring = ast.get_docstring(old, clean=False) != ast.get_docstring(new, clean=False)
    if not (defaults or annotations or docstring):
        return None
    return Signature(fresh, kept, new, defaults, annotations, docstring)


def bare(signature: Signature, *, annotated: bool) -> ast.Module:
    """The `def` without decorators and defaults, and with its docstring for a body: it can be run anywhere."""
    new = signature.new
    args = ast.arguments(
        posonlyargs=[_bare_arg(arg, annotated) for arg in new.args.posonlyargs],
        args=[_bare_arg(arg, annotated) for arg in new.args.args],
        vararg=_bare_arg(new.args.vararg, annotated) if new.args.vararg else None,
        kwonlyargs=[_bare_arg(arg, annotated) for arg in new.args.kwonlyargs],
        kw_defaults=[None] * len(new.args.kwonlyargs),
        kwarg=_bare_arg(new.args.kwarg, annotated) if new.args.kwarg else None,
        defaults=[],
    )
    text = ast.get_docstring(new, clean=False)
    body: list[ast.stmt] = [ast.Pass()] if text is None else [ast.Expr(ast.Constant(text))]
    function = ast.FunctionDef(
        new.name,
        args,
        body,
        decorator_list=[],
        returns=new.returns if annotated else None,
        type_params=new.type_params if annotated else [],
    )
    return ast.fix_missing_locations(ast.Module([ast.copy_location(function, new)], []))


def defaults_now(function: FunctionType, code: CodeType) -> dict[str, object]:
    """Parameter -> default, as the living function has it; `code`: its own."""
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    found: dict[str, object] = dict(zip(names[len(names) - len(positional) :], positional, strict=False))
    return found | (function.__kwdefaults__ or {})


def arranged(
    code: CodeType, values: dict[str, object]
) -> tuple[tuple[object, ...] | None, dict[str, object] | None]:
    """`__defaults__` and `__kwdefaults__` of a function with `code`."""
    positional = [values[name] for name in code.co_varnames[: code.co_argcount] if name in values]
    end = code.co_argcount + code.co_kwonlyargcount
    keywords = {name: values[name] for name in code.co_varnames[code.co_argcount : end] if name in values}
    return tuple(positional) or None, keywords or None


def mangled(name: str, names: tuple[str, ...]) -> str:
    """A parameter's name as code spells it: private ones with their class."""
    return name if name in names else next((one for one in names if one.endswith(name)), name)


def _defaults(args: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = [*args.posonlyargs, *args.args]
    with_default = positional[len(positional) - len(args.defaults) :]
    yield from ((arg.arg, value) for arg, value in zip(with_default, args.defaults, strict=True))
    for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if value is not None:
            yield arg.arg, value


def _names(args: ast.arguments) -> list[str]:
    return [arg.arg for arg in (*args.posonlyargs, *args.args)]


def _annotations(node: Function) -> list[str]:
    args = node.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    found = [f"{arg.arg}: {ast.dump(arg.annotation)}" for arg in every if arg is not None and arg.annotation]
    return [*found, ast.dump(node.returns) if node.returns is not None else ""]


def _bare_arg(arg: ast.arg, annotated: bool) -> ast.arg:
    return ast.arg(arg.arg, arg.annotation if annotated else None)


__all__ = ["NO_DEFAULT", "Signature", "arranged", "bare", "defaults_now", "mangled", "signature_of"]
