"""Which code object of the old file is which of the new one.

In: the code of two modules (or of two versions of a function), as the compiler made it. Out: `Pair`s, nested code
included. Always true: a code object is in one pair at most; code is paired within paired code only, by its name, and
among several of one name by what it does, then by its parameters, then by their order, and only if their number tells.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Final

from daifu_bc.surgery.texts import codes_in

MADE_BY_THE_COMPILER: Final = frozenset({"__annotate__", "__annotate_func__"})
_OPTIMIZED = 0x1 | 0x2  # locals in slots, a frame of its own: a function, not a class body or a module


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Code of the old text and the code that takes its place."""

    old: CodeType
    new: CodeType

    @property
    def is_function(self) -> bool:
        return self.old.co_flags & self.new.co_flags & _OPTIMIZED == _OPTIMIZED

    @property
    def is_changed(self) -> bool:
        """Does it do something else, in itself or in code nested in it?"""
        return without_lines(self.old) != without_lines(self.new)

    @property
    def is_moved(self) -> bool:
        """Does it stand on other lines?"""
        return self.old != self.new


class Pairs:
    """All pairs of two pieces of code."""

    def __init__(self, old: CodeType, new: CodeType) -> None:
        self.all = list(_pairs(old, new))
        self._by_new = {id(pair.new): pair for pair in self.all}
        self._by_place: dict[tuple[str, int], list[Pair]] = {}
        self._by_name: dict[str, list[Pair]] = {}
        for pair in self.all:
            self._by_place.setdefault((pair.old.co_qualname, pair.old.co_firstlineno), []).append(pair)
            self._by_name.setdefault(pair.old.co_qualname, []).append(pair)
        olds = {id(pair.old) for pair in self.all}
        self.added = [code for code in codes_in(new) if id(code) not in self._by_new]
        self.removed = [code for code in codes_in(old) if id(code) not in olds]

    def of(self, code: CodeType) -> Pair | None:
        """The pair of a living function's code, which another compilation of the old text may have made."""
        found = self._by_place.get((code.co_qualname, code.co_firstlineno), [])
        if len(found) > 1:
            places = list(code.co_positions())
            found = [pair for pair in found if list(pair.old.co_positions()) == places]
        return found[0] if len(found) == 1 else None

    def named(self, qualname: str) -> Pair | None:
        """The only pair of this qualified name."""
        found = self._by_name.get(qualname, [])
        return found[0] if len(found) == 1 else None

    def at(self, name: str, line: int) -> Pair | None:
        """The pair whose new code is called `name` and begins on `line`."""
        return next((p for p in self.all if p.new.co_name == name and p.new.co_firstlineno == line), None)


def without_lines(code: CodeType) -> CodeType:
    """A copy that is equal to others which do the same, wherever they stand."""
    consts = tuple(without_lines(const) if isinstance(const, CodeType) else const for const in code.co_consts)
    return code.replace(co_consts=consts, co_firstlineno=1, co_linetable=b"", co_filename="")


def replaced(code: CodeType, old: CodeType, new: CodeType) -> CodeType:
    """`code` with `new` for `old`, which is nested in it; `code` itself where it is not."""
    consts = tuple(
        new if const is old else replaced(const, old, new) if isinstance(const, CodeType) else const
        for const in code.co_consts
    )
    is_same = all(one is other for one, other in zip(consts, code.co_consts, strict=True))
    return code if is_same else code.replace(co_consts=consts)


def lacking_free(pair: Pair) -> list[str]:
    """Names that the closures of the old code have cells for, and that the new code does not mention."""
    new = pair.new
    known = {*new.co_freevars, *new.co_varnames, *new.co_cellvars}
    return [name for name in pair.old.co_freevars if name not in known]


def mention_in(tree: ast.Module, wanted: Iterable[tuple[CodeType, list[str]]]) -> bool:
    """Let functions of `tree` capture names that they do not use, so that closures fit. Out: whether one was found."""
    found = False
    for code, names in wanted:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_of(node, code):
                node.body.append(
                    ast.copy_location(ast.If(ast.Constant(0), [ast.Expr(_capture(names))], []), node)
                )
                found = True
            elif (
                isinstance(node, ast.Lambda)
                and code.co_name == "<lambda>"
                and _begins_on(node, code.co_firstlineno)
            ):
                node.body = ast.copy_location(
                    ast.IfExp(ast.Constant(True), node.body, _capture(names)), node.body
                )
                found = True
    ast.fix_missing_locations(tree)
    return found


def _begins_on(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", None) == line


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Where its code object begins: decorators belong to it."""
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def _is_of(node: ast.FunctionDef | ast.AsyncFunctionDef, code: CodeType) -> bool:
    return node.name == code.co_name and first_line(node) == code.co_firstlineno


def _capture(names: list[str]) -> ast.Lambda:
    loads: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, ast.Tuple(loads, ast.Load()))


def _pairs(old: CodeType, new: CodeType) -> Iterator[Pair]:
    yield Pair(old, new)
    for one, other in _children_paired(old, new):
        yield from _pairs(one, other)


def _children_paired(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    before, after = _by_name(old), _by_name(new)
    for name, olds in before.items():
        news = after.get(name, [])
        if len(olds) == len(news):
            yield from zip(olds, news, strict=True)
            continue
        for key in (without_lines, _parameters):
            same, olds, news = _equal(olds, news, key)
            yield from same
        if len(olds) == len(news):
            yield from zip(olds, news, strict=True)


def _by_name(code: CodeType) -> dict[tuple[str, str], list[CodeType]]:
    found: dict[tuple[str, str], list[CodeType]] = {}
    for const in code.co_consts:
        if isinstance(const, CodeType) and const.co_name not in MADE_BY_THE_COMPILER:
            found.setdefault((const.co_name, const.co_qualname), []).append(const)
    for codes in found.values():
        codes.sort(key=lambda one: one.co_firstlineno)
    return found


def _equal(
    olds: list[CodeType], news: list[CodeType], key: Callable[[CodeType], Hashable]
) -> tuple[list[tuple[CodeType, CodeType]], list[CodeType], list[CodeType]]:
    """Those that are equal, in their order; what is left of both."""
    pairs: list[tuple[CodeType, CodeType]] = []
    left, rest = [], list(news)
    for old in olds:
        found = next((new for new in rest if key(new) == key(old)), None)
        if found is None:
            left.append(old)
        else:
            rest = [new for new in rest if new is not found]
            pairs.append((old, found))
    return pairs, left, rest


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


__all__ = ["MADE_BY_THE_COMPILER", "Pair", "Pairs", "first_line", "lacking_free", "mention_in", "replaced",
           "without_lines"]  # fmt: skip
