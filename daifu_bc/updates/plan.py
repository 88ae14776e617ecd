"""What an edit means for the running program, worked out: nothing is changed by it.

In: an `Edit`, the namespace of the crashed or given function. Out: `Work`: which functions get which code, which
statements are to run, what is left as it is and why. Raises CannotResume.
Always true: a function is found by the code that it runs, however it is wrapped, stored or decorated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from daifu_bc.analysis.source_codes import scope_in
from daifu_bc.analysis.source_index import SourceIndex
from daifu_bc.surgery.modules import ModuleChanges, changes_of
from daifu_bc.surgery.pairs import Pair, Pairs, lacking_free, mention_in, replaced
from daifu_bc.surgery.signature import Function, Signature, signature_of
from daifu_bc.surgery.texts import Edit, compile_module, home_of, parse_module
from daifu_bc.targets import namespace_of
from daifu_bc.updates import files
from daifu_bc.updates.living import Living, look, modules
from daifu_bc.updates.remade import Remade, with_class


@dataclass(slots=True, eq=False)
class Update:
    """New code for one living function."""

    function: FunctionType
    new: CodeType
    is_changed: bool  # it does something else, not only on other lines
    signature: Signature | None = None
    old: CodeType | None = None  # whose parameters are as the old text has them
    remade: Remade | None = None  # the function is one that takes the place of another


@dataclass(slots=True, eq=False)
class Work:
    """All that is to be done."""

    edit: Edit
    living: Living
    namespaces: list[dict[str, Any]]
    updates: list[Update] = field(default_factory=list)
    changes: ModuleChanges = field(default_factory=ModuleChanges)
    notes: list[str] = field(default_factory=list)
    module: CodeType | None = None  # of the new text, where all of it comes


def work_out(edit: Edit, namespace: dict[str, Any]) -> Work:
    """What is to be done for `edit`. `namespace`: globals of its function."""
    if edit.is_whole_file:
        return _whole_file(edit, namespace)
    code = edit.old.code
    pairs = Pairs(code, edit.new.code)
    living = look({code.co_filename, home_of(code.co_filename)}, [namespace])
    work = Work(edit, living, [namespace])
    _update_pairs(work, pairs, _nodes(edit))
    _update_around(work, code, edit.new.code)
    return work


def _whole_file(edit: Edit, namespace: dict[str, Any]) -> Work:
    filename = edit.new.code.co_filename
    assert edit.new.module is not None
    living = look({filename, edit.old.code.co_filename}, [namespace])
    work = Work(edit, living, list(_namespaces(filename, namespace)), module=edit.new.module)
    before = files.running_text(filename, edit)
    if before is None:
        work.notes.append(f"how {filename} read before is not known: functions only are brought up to date")
        _update_by_name(work, edit.new.module)
        return work
    old_index, old_module = before
    tree = parse_module("".join(edit.new.lines), filename)
    pairs = _fitting(Pairs(old_module, edit.new.module), tree, edit, work)
    work.module = pairs.all[0].new
    work.changes = changes_of(old_index.tree, tree, pairs)
    if edit.old.module is None and edit.old.code.co_name == "<module>":
        work.changes.run.clear()  # these are the crashed frame's own, which goes on in them
    work.notes += work.changes.notes
    _update_pairs(work, pairs, (old_index, edit.new.origin.index))
    return work


def _namespaces(filename: str, namespace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield namespace
    for module in modules():
        found = namespace_of(module)
        if found is not namespace and found.get("__file__") == filename:
            yield found


def _fitting(pairs: Pairs, tree: ast.Module, edit: Edit, work: Work) -> Pairs:
    """The pairs with new code that fits the living closures: free variables that it does not use are mentioned."""
    wanted = [(p.new, names) for p in pairs.all if p.is_function and (names := lacking_free(p))]
    if not wanted:
        return pairs
    filename = edit.new.code.co_filename
    again = parse_module("".join(edit.new.lines), filename)
    if not mention_in(again, wanted):
        return pairs
    return Pairs(pairs.all[0].old, compile_module(again, filename, edit.old.code))


Indices = tuple[SourceIndex, SourceIndex]


def _nodes(edit: Edit) -> Indices:
    return edit.old.origin.index, edit.new.origin.index


def _update_pairs(work: Work, pairs: Pairs, indices: Indices) -> None:
    """New code for each living function of a pair."""
    edit = work.edit
    for original in list(work.living.originals.values()):
        if original.co_filename == edit.old.code.co_filename and original == edit.old.code:
            pair = Pair(edit.old.code, edit.new.code)
        else:
            found = _pair_of(original, pairs, work)
            if found is None:
                continue
            pair = found
        if not pair.is_function:
            continue
        signature = _signature(pair, indices)
        if pair.is_moved or signature is not None:
            _update(work, original, pair, signature)


def _pair_of(original: CodeType, pairs: Pairs, work: Work) -> Pair | None:
    filename = work.edit.new.code.co_filename if work.edit.is_whole_file else work.edit.old.code.co_filename
    if original.co_filename == filename:
        found = pairs.of(original)
        if found is not None or not work.edit.is_whole_file:
            return found
    # Code of an earlier edit: what its text says now counts, if the file says something else than before.
    named = pairs.named(original.co_qualname)
    return named if named is not None and named.is_changed else None


def _signature(pair: Pair, indices: Indices) -> Signature | None:
    old, new = (scope_in(code, index) for code, index in zip((pair.old, pair.new), indices, strict=True))
    if isinstance(old, Function) and isinstance(new, Function):
        return signature_of(old, new)
    return None


def _update(work: Work, original: CodeType, pair: Pair, signature: Signature | None) -> None:
    for function in work.living.of(original):
        if set(function.__code__.co_freevars) == set(pair.new.co_freevars):
            work.updates.append(Update(function, pair.new, pair.is_changed, signature, pair.old))
            continue
        remade = with_class(function, pair.new)
        if remade is None:
            work.notes.append(_why_left(function, pair.new))
        else:
            work.updates.append(
                Update(remade.function, pair.new, pair.is_changed, signature, pair.old, remade)
            )


def _why_left(function: FunctionType, new: CodeType) -> str:
    old = function.__code__.co_freevars
    names = sorted(set(new.co_freevars) - set(old))
    if names:
        what = f"uses {', '.join(names)}, which that closure has not captured"
    else:
        what = f"does not capture {', '.join(sorted(set(old) - set(new.co_freevars)))} any more"
    return (
        f"a {function.__qualname__} that was made already keeps its code: the new one {what}; new ones get it"
    )


def _update_around(work: Work, old: CodeType, new: CodeType) -> None:
    """Functions that the edited one is nested in make the new one when they are called again."""
    for original in list(work.living.originals.values()):
        around = replaced(original, old, new) if original is not old else original
        if around is not original:
            for function in work.living.of(original):
                work.updates.append(Update(function, around, is_changed=False))


def _update_by_name(work: Work, module: CodeType) -> None:
    """The old text is not known: functions of the same qualified name."""
    names: dict[str, list[CodeType]] = {}
    for pair in Pairs(module, module).all:
        names.setdefault(pair.new.co_qualname, []).append(pair.new)
    for original in list(work.living.originals.values()):
        found = (
            [work.edit.new.code] if original is work.edit.old.code else names.get(original.co_qualname, [])
        )
        if len(found) == 1:
            pair = Pair(original, found[0])
            if pair.is_function and pair.is_moved:
                _update(work, original, pair, None)


__all__ = ["Update", "Work", "work_out"]
