"""Statements of a new text run in the living module, members made for living classes.

In: statements, the module's namespace. Out: names bound, attributes set, each on record in `Applied`.
Always true: a method that is put on a class is what it would be had it stood in the class's text: `super()` and
`__class__`, private names, decorators and `__qualname__` included. What the statements raise goes out.
"""

from __future__ import annotations

import ast
import enum
from abc import ABCMeta
from collections.abc import Iterable
from types import CellType, CodeType
from typing import Any, Final

from daifu_bc.surgery.modules import ClassChange
from daifu_bc.surgery.statements import one_line
from daifu_bc.updates.undo import Applied, set_attribute, set_item

_COLLECTOR: Final = "(collector)"  # no program can have this name
_OF_NO_TEXT: Final = frozenset(
    {
        _COLLECTOR,
        "__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__classcell__", "__classdictcell__",
        "__annotations__", "__annotate__", "__annotate_func__", "__conditional_annotations__", "__doc__",
    }
)  # fmt: skip


class StatementError(Exception):
    """A statement of the new text raised; the cause says what."""


def run_statements(
    applied: Applied, statements: Iterable[ast.stmt], namespace: dict[str, Any], filename: str, flags: int
) -> None:
    """Run module-level statements, one after the other."""
    before = dict(namespace)
    try:
        for statement in statements:
            code = compile(ast.Module([statement], []), filename, "exec", flags=flags, dont_inherit=True)
            _run(code, namespace, namespace, statement)
    finally:
        set_item(applied, namespace, before)


def _run(code: CodeType, namespace: dict[str, Any], names: Any, statement: ast.stmt) -> None:
    try:
        exec(code, namespace, names)
    except Exception as error:
        what = f"line {statement.lineno} of the new text ({one_line(statement)})"
        raise StatementError(f"{what} raised {type(error).__name__}: {error}") from error


class _Names(dict[str, Any]):
    """Names of a class body: its own, then those that the living class has."""

    def __init__(self, living: type, collector: _Collector) -> None:
        super().__init__({_COLLECTOR: collector})  # for the header of a class inside
        self.living = living

    def __missing__(self, name: str) -> Any:
        return vars(self.living)[name]


class _Collector:
    """Stands in for a metaclass: makes no class, gives what is in its body."""

    def __init__(self, living: list[type]) -> None:
        self.living = living  # outermost first
        self.names: dict[str, Any] = {}

    def __prepare__(self, name: str, bases: tuple[type, ...]) -> dict[str, Any]:
        return _Names(self.living.pop(0), self)

    def __call__(self, name: str, bases: tuple[type, ...], names: dict[str, Any]) -> object:
        if not self.names:  # the innermost is done first
            self.names = names
        return None


def add_members(
    applied: Applied,
    change: ClassChange,
    namespace: dict[str, Any],
    filename: str,
    flags: int,
) -> list[str]:
    """Make new members of a class and put them on the living one. Out: what was not done, in words."""
    owners = owners_of(change.path, namespace)
    if owners is None:
        return [f"class {change.name} was not found in its module; its new members are not applied"]
    notes: list[str] = []
    statements = list(change.run)
    for statement in change.fields:
        reason = _why_no_field(owners[-1], change)
        if reason is None:
            statements.append(statement)
        else:
            notes.append(f"line {statement.lineno} is not applied ({reason}): {one_line(statement)}")
    if statements:
        statements.sort(key=lambda one: one.lineno)
        names = _made(owners, change.path, statements, namespace, filename, flags)
        for name, value in names.items():
            _put(applied, owners[-1], name, value)
    return notes


def owners_of(path: tuple[str, ...], namespace: dict[str, Any]) -> list[type] | None:
    """The living classes along the path, outermost first."""
    found: list[type] = []
    names: Any = namespace
    for name in path:
        owner = names.get(name)
        if not issubclass(type(owner), type):
            return None
        found.append(owner)
        names = vars(owner)
    return found


def _why_no_field(owner: type, change: ClassChange) -> str | None:
    """Why an attribute in the class's text is more than an attribute."""
    if issubclass(type(owner), enum.EnumMeta):
        return "an enum's members are fixed"
    if "__dataclass_fields__" in vars(owner):
        return "a dataclass's fields are fixed"
    if type(owner) not in (type, ABCMeta) and any(isinstance(one, ast.AnnAssign) for one in change.fields):
        return f"the class was made by {type(owner).__name__}, which has read its fields"
    if change.new.decorator_list and any(isinstance(one, ast.AnnAssign) for one in change.fields):
        return "a decorator has read the class's fields"
    return None


def _made(
    owners: list[type],
    path: tuple[str, ...],
    statements: list[ast.stmt],
    namespace: dict[str, Any],
    filename: str,
    flags: int,
) -> dict[str, Any]:
    """Run the statements as the body of the class. Out: names that they bound."""
    collector = _Collector(list(owners))
    body = statements
    for name in reversed(path):
        keywords = [ast.keyword("metaclass", ast.Name(_COLLECTOR, ast.Load()))]
        body = [ast.copy_location(ast.ClassDef(name, [], keywords, body, [], type_params=[]), statements[0])]
    tree = ast.fix_missing_locations(ast.Module(body, []))
    outermost = body[0]
    code = compile(tree, filename, "exec", flags=flags, dont_inherit=True)
    _run(code, namespace, {_COLLECTOR: collector}, outermost)
    cell = collector.names.get("__classcell__")
    if isinstance(cell, CellType):
        cell.cell_contents = owners[-1]
    return {name: value for name, value in collector.names.items() if name not in _OF_NO_TEXT}


def _put(applied: Applied, owner: type, name: str, value: Any) -> None:
    set_attribute(applied, owner, name, value)
    told = getattr(type(value), "__set_name__", None)
    if told is not None:
        told(value, owner, name)


__all__ = ["StatementError", "add_members", "owners_of", "run_statements"]
