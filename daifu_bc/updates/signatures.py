"""A living function's defaults, annotations and docstring follow its text.

In: a function and what of its `def` changed. Out: the function, changed in place, each step on record.
Always true: a default whose text is as it was stays the very object that it is (what it has gathered stays); a new one
is evaluated once, in the module (for a method: with the names of its class), for a nested function only if it is a
literal; where that cannot be, the function keeps what it has, and a note says so.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from daifu_bc.surgery.signature import Signature, arranged, bare, defaults_now, mangled
from daifu_bc.surgery.statements import one_line
from daifu_bc.surgery.texts import FUTURE, Edit
from daifu_bc.updates.members import StatementError, owners_of
from daifu_bc.updates.plan import Update
from daifu_bc.updates.undo import Applied, set_attribute


def follow(applied: Applied, update: Update, edit: Edit) -> list[str]:
    """Bring the function's attributes up to date. Out: what could not be, in words. Raises StatementError."""
    signature, function = update.signature, update.function
    assert signature is not None
    notes: list[str] = []
    if signature.is_default_changed:
        notes += _defaults(applied, update, signature)
    if signature.is_docstring_changed or signature.are_annotations_changed:
        notes += _from_bare(applied, function, signature, edit)
    return notes


def _defaults(applied: Applied, update: Update, signature: Signature) -> list[str]:
    function, names = update.function, update.new.co_varnames
    before = defaults_now(function, update.old or function.__code__)
    values = {name: before[key] for name in signature.kept if (key := mangled(name, names)) in before}
    values = {mangled(name, names): value for name, value in values.items()}
    for name, expression in signature.defaults.items():
        try:
            values[mangled(name, names)] = _evaluated(expression, function)
        except _OutOfReachError:
            text = one_line(ast.Expr(expression))
            return [
                f"{function.__qualname__} keeps its defaults: {name}={text} is evaluated when it is made anew"
            ]
    positional, keywords = arranged(update.new, values)
    set_attribute(applied, function, "__defaults__", positional)
    set_attribute(applied, function, "__kwdefaults__", keywords)
    return []


class _OutOfReachError(Exception):
    """The names around a nested function are not there any more."""


def _evaluated(expression: ast.expr, function: FunctionType) -> object:
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError):
        pass
    if "<locals>" in function.__qualname__:
        raise _OutOfReachError
    tree = ast.fix_missing_locations(ast.Expression(expression))
    code = compile(tree, function.__code__.co_filename, "eval", dont_inherit=True)
    try:
        return eval(code, function.__globals__, _names_around(function))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        text = one_line(ast.Expr(expression))
        raise StatementError(f"the default {text} of {function.__qualname__} raised {what}") from error


def _names_around(function: FunctionType) -> Mapping[str, Any]:
    """What a class body names, for a method."""
    path = tuple(function.__qualname__.split(".")[:-1])
    owners = owners_of(path, function.__globals__)
    return dict(vars(owners[-1])) if owners else {}


def _from_bare(applied: Applied, function: FunctionType, signature: Signature, edit: Edit) -> list[str]:
    """Docstring and annotations as the `def` gives them."""
    annotated = signature.are_annotations_changed and "<locals>" not in function.__qualname__
    notes = []
    if signature.are_annotations_changed and not annotated:
        notes.append(f"{function.__qualname__} keeps its annotations until it is made anew")
    try:
        made = _made(bare(signature, annotated=annotated), function, edit.old.code)
    except Exception as error:  # annotations may say anything; they are not what the edit is about
        notes.append(f"{function.__qualname__} keeps its annotations: {type(error).__name__}: {error}")
        annotated, made = False, _made(bare(signature, annotated=False), function, edit.old.code)
    if annotated:
        name = "__annotate__" if getattr(made, "__annotate__", None) is not None else "__annotations__"
        set_attribute(applied, function, name, getattr(made, name))
    if signature.is_docstring_changed:
        set_attribute(applied, function, "__doc__", made.__doc__)
    return notes


def _made(tree: ast.Module, function: FunctionType, like: CodeType) -> Any:
    names = dict(_names_around(function))
    filename = function.__code__.co_filename
    exec(
        compile(tree, filename, "exec", flags=like.co_flags & FUTURE, dont_inherit=True),
        function.__globals__,
        names,
    )
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef)
    return names[node.name]


__all__ = ["follow"]
