"""What an edit of a file asks for outside of function bodies: of its module and of its classes.

In: the trees of the old and the new text and the pairs of their code. Out: `ModuleChanges`: statements to run, members
to put on classes, and in words what is not done. Nothing runs here.
Always true: a statement that has run once runs again only if it is an import or a name bound to a value that calls
nothing; everything else that changed is named.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from daifu_bc.analysis.source_index import Definition
from daifu_bc.surgery.pairs import Pairs, first_line
from daifu_bc.surgery.statements import (
    asks_for_name,
    bind_the_same,
    binds_plainly,
    inner,
    is_text,
    names_bound,
    new_names,
    one_line,
    read_alike,
    same,
    without_bodies,
)


@dataclass(slots=True, eq=False)
class ClassChange:
    """A class that is in both texts."""

    path: tuple[str, ...]  # names from the module inwards
    old: ast.ClassDef
    new: ast.ClassDef
    run: list[ast.stmt] = field(default_factory=list)  # members to be made and put on the living class
    fields: list[ast.stmt] = field(
        default_factory=list
    )  # the same, where the class takes no fields from its text

    @property
    def name(self) -> str:
        return ".".join(self.path)


@dataclass(slots=True, eq=False)
class ModuleChanges:
    """What is to be done besides new code for functions."""

    run: list[ast.stmt] = field(default_factory=list)
    classes: list[ClassChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def changes_of(old: ast.Module, new: ast.Module, pairs: Pairs) -> ModuleChanges:
    """Compare two texts of a file."""
    found = ModuleChanges()
    _Comparison(pairs, found).module(old.body, new.body)
    return found


class _Comparison:
    def __init__(self, pairs: Pairs, found: ModuleChanges) -> None:
        self.found = found
        self.partners = {
            (pair.new.co_name, pair.new.co_firstlineno): (pair.old.co_name, pair.old.co_firstlineno)
            for pair in pairs.all
        }

    def module(self, old: list[ast.stmt], new: list[ast.stmt]) -> None:
        for before, statement in self._sorted(old, new):
            if statement is None:
                self._gone(before)
            elif before is None:
                self._new_in_module(statement)
            elif isinstance(before, ast.ClassDef) and isinstance(statement, ast.ClassDef):
                self._class((statement.name,), before, statement)
            elif isinstance(statement, Definition):
                self._decorators(before, statement, statement.name)
            else:
                self._within(before, statement)
                if not same(before, statement):
                    self._changed_in_module(before, statement)

    def _within(self, before: ast.stmt, statement: ast.stmt) -> None:
        """Definitions in the blocks of an `if`, `try` or `with` that has run."""
        old, new = ([s for s in inner(block) if isinstance(s, Definition)] for block in (before, statement))
        partners = self._partners(old, new)
        for one in new:
            partner = partners.get(one)
            if isinstance(one, ast.ClassDef) and isinstance(partner, ast.ClassDef):
                self._class((one.name,), partner, one)
            elif partner is None:
                self._note(one, "new in a block that has run, and is not run")

    def _new_in_module(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.If) and asks_for_name(statement.test):
            self._note(statement, "new and is not run")
        else:
            self.found.run.append(statement)

    def _changed_in_module(self, before: ast.stmt | None, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom) and isinstance(
            before, ast.Import | ast.ImportFrom
        ):
            self.found.run.append(new_names(before, statement))
        elif binds_plainly(statement):
            self.found.run.append(statement)
        elif not is_text(statement):
            self._note(statement, "changed and is not run again")

    def _class(self, path: tuple[str, ...], old: ast.ClassDef, new: ast.ClassDef) -> None:
        change = ClassChange(path, old, new)
        self._decorators(old, new, change.name)
        if list(map(ast.dump, [*old.bases, *old.keywords])) != list(
            map(ast.dump, [*new.bases, *new.keywords])
        ):
            self.found.notes.append(
                f"class {change.name} has other bases or keywords; the living class keeps its own"
            )
        for before, statement in self._sorted(old.body, new.body):
            if statement is None:
                self._gone(before, f"{change.name}.")
            elif isinstance(before, ast.ClassDef) and isinstance(statement, ast.ClassDef):
                self._class((*path, statement.name), before, statement)
            elif before is not None and isinstance(statement, Definition):
                self._decorators(before, statement, f"{change.name}.{statement.name}")
            elif before is None or not same(before, statement):
                self._member(change, before, statement)
        self.found.classes.append(change)

    def _member(self, change: ClassChange, before: ast.stmt | None, statement: ast.stmt) -> None:
        if "__slots__" in names_bound(statement):
            self._note(statement, f"not applied: {change.name} is laid out already")
        elif isinstance(statement, Definition | ast.Import | ast.ImportFrom):
            change.run.append(statement)
        elif isinstance(statement, ast.AnnAssign) or (
            isinstance(statement, ast.Assign) and (before is None or binds_plainly(statement))
        ):
            change.fields.append(statement)
        elif not is_text(statement):
            self._note(
                statement, "changed and is not run again" if before is not None else "new and is not run"
            )

    def _decorators(self, before: ast.stmt, statement: Definition, name: str) -> None:
        old = [ast.dump(without_bodies(item)) for item in getattr(before, "decorator_list", [])]
        if old != [ast.dump(without_bodies(item)) for item in statement.decorator_list]:
            self.found.notes.append(f"decorators of {name} changed and are not run again")

    def _gone(self, before: ast.stmt | None, prefix: str = "") -> None:
        names = sorted(names_bound(before)) if before is not None else []
        if names:
            self.found.notes.append(
                f"{', '.join(prefix + name for name in names)}: removed from the text, still there"
            )
        elif before is not None and not is_text(before):
            self.found.notes.append(f"removed, what it did stays: {one_line(before)}")

    def _note(self, statement: ast.stmt, what: str) -> None:
        self.found.notes.append(f"line {statement.lineno} is {what}: {one_line(statement)}")

    # Which statement is which.

    def _sorted(
        self, old: list[ast.stmt], new: list[ast.stmt]
    ) -> Iterator[tuple[ast.stmt | None, ast.stmt | None]]:
        """Each new statement with its partner, in the order of the new text; then what is gone."""
        partners = self._partners(old, new)
        for statement in new:
            yield partners.get(statement), statement
        taken = set(partners.values())
        for statement in old:
            if statement not in taken:
                yield statement, None

    def _partners(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> dict[ast.stmt, ast.stmt]:
        found: dict[ast.stmt, ast.stmt] = {}
        left = [s for s in old if not isinstance(s, Definition)]
        places = {(s.name, first_line(s)): s for s in old if isinstance(s, Definition)}
        for statement in new:
            if isinstance(statement, Definition):
                known = places.get(self.partners.get((statement.name, first_line(statement)), ("", 0)))
                if known is not None and type(known) is type(statement):
                    found[statement] = known
        rest = [s for s in new if not isinstance(s, Definition)]
        for alike in (same, bind_the_same, read_alike):
            for statement in rest:
                partner = next((one for one in left if alike(one, statement)), None)
                if statement not in found and partner is not None:
                    found[statement] = partner
                    left.remove(partner)
        return found


__all__ = ["ClassChange", "ModuleChanges", "changes_of"]
