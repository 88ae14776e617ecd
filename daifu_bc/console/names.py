"""The variables that a failing statement uses.

In: the source of a statement (or of the header of a compound one) and a frame's variables. Out: names and
values. Always true: none of the program's code runs: attributes are looked up in instance dictionaries only.
Source that cannot be read yields nothing.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import textwrap
import tokenize
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

MISSING = object()
_NOT_TOLD = (ModuleType, FunctionType, BuiltinFunctionType, MethodType, type)  # their names say it all
# What turns the header of a compound statement into something that parses.
_FRAMES = (
    "{}",
    "{}\n    pass",
    "try:\n    pass\n{}\n    pass",
    "if 1:\n    pass\n{}\n    pass",
    "match 1:\n {}\n  pass",
)
_STORES = ("_parameters", "_buffers", "_modules")  # where torch modules keep what looks like their attributes


def used_values(
    statement: str, local: Mapping[str, object], module: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Names that `statement` reads, dotted ones too, with their values; MISSING for one that is nowhere."""
    for name in names_read(statement):
        first, *attributes = name.split(".")
        value = _variable(first, local, module)
        for attribute in attributes:
            value = _stored(value, attribute)
        if value is MISSING and (attributes or hasattr(builtins, first)):
            continue
        if not isinstance(value, _NOT_TOLD):
            yield name, value


def names_read(statement: str) -> list[str]:
    """`x`, `self` and `self.x.y`, each once, in the order of the source; not what comprehensions make."""
    tree = _parsed(textwrap.dedent(statement).strip())
    if tree is None:
        return _names_in_tokens(statement)
    nodes = list(ast.walk(tree))
    made = {name for node in nodes for name in _made_by(node)}
    updated = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    found: dict[str, tuple[int, int, int]] = {}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and (_is_read(node) or id(node) in updated):
            name = _dotted(node)
            if name is not None and name.partition(".")[0] not in made:
                found.setdefault(name, (node.lineno, node.col_offset, len(name)))
    return sorted(found, key=found.__getitem__)


def _parsed(statement: str) -> ast.AST | None:
    for frame in _FRAMES:
        try:
            return ast.parse(frame.format(statement))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _is_read(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _made_by(node: ast.AST) -> Iterator[str]:
    """Names that live inside the statement only: of comprehensions and lambdas."""
    if isinstance(node, ast.comprehension):
        yield from (part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))
    elif isinstance(node, ast.arg):
        yield node.arg


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of attributes of a name."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(attributes)]) if isinstance(node, ast.Name) else None


def _names_in_tokens(statement: str) -> list[str]:
    found: dict[str, None] = {}
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(statement).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string) and before != ".":
                found.setdefault(token.string)
            before = token.string
    except (tokenize.TokenError, SyntaxError):
        pass  # what was found so far is what can be shown
    return list(found)


def _variable(name: str, local: Mapping[str, object], module: Mapping[str, object]) -> object:
    try:
        return local[name]
    except KeyError:
        return module.get(name, MISSING)


def _stored(value: object, attribute: str) -> object:
    """An attribute that is stored in the instance; no descriptor, no `__getattr__`."""
    try:
        stored = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return MISSING
    if not isinstance(stored, dict):
        return MISSING
    for place in (stored, *(stored.get(name) for name in _STORES)):
        if isinstance(place, dict) and attribute in place:
            found: object = place[attribute]
            return found
    return MISSING
