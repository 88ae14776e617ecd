"""Edits applied to the running program: all of an edit, or nothing of it.

In: an `Edit`: of a crashed function (`bring_along`), of any other (`edit_of`, `apply`), of files that changed
(`reload_all`). Out: `Applied`: what was done, in words, and the way back. Raises CannotResume.
Always true: what may fail comes first and is taken back if it does: then everything is as it was. Functions are changed
in place, so whoever holds one (a hook, a partial, a bound method, a list) calls the new code.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from daifu_bc import along, instrument, operation, swaps
from daifu_bc.analysis.source_codes import Origin, origin_of, text_noted_for
from daifu_bc.analysis.source_index import SourceIndex
from daifu_bc.errors import CannotResume
from daifu_bc.surgery.prepare import Prepared
from daifu_bc.surgery.texts import (
    FUTURE,
    Edit,
    Side,
    compile_module,
    home_of,
    parse_module,
    read_edit,
    read_new,
    refresh,
)
from daifu_bc.targets import functions_of, innermost, namespace_of
from daifu_bc.transform.registry import protection_of
from daifu_bc.updates import files
from daifu_bc.updates.living import clear_caches, modules
from daifu_bc.updates.members import StatementError, add_members, run_statements
from daifu_bc.updates.plan import Update, Work, work_out
from daifu_bc.updates.renewal import Renewal
from daifu_bc.updates.signatures import follow
from daifu_bc.updates.undo import Applied, remember, set_attribute


def edit_of(target: object, source: str | None = None, path: str | None = None) -> Edit:
    """New text for a function: method, bound method, hook, partial, wrapper. Raises CannotProtect, CannotResume.

    `source`: its new text; `path`: a file that it is in; with neither, the file that it came from.
    """
    function = function_meant(target, source)
    code = swaps.original_code(function)
    if text_noted_for(code) is not None and origin_of(code) is not None:
        return read_edit(code, source, path)
    return read_new(code, source, path)


def function_meant(target: object, source: str | None = None) -> FunctionType:
    """Of a target's functions the one that `source` is for, else the one that the user wrote. Raises CannotProtect."""
    found = functions_of(target)
    if source is not None:
        names = [
            line.split("(")[0].split()[-1] for line in source.splitlines() if line.lstrip().startswith(_DEFS)
        ]
        for function in found:
            if function.__code__.co_name in names[:1]:
                return function
    return innermost(found[0]) if len(found) == 1 or found[0] is not innermost(found[0]) else found[0]


_DEFS = ("def ", "async def ")


def apply(edit: Edit, namespace: dict[str, Any], protected: CodeType | None = None) -> Applied:
    """Bring the program up to date, for calls to come.

    `namespace`: globals of the edit's function. `protected`: its new code, protected, if that was done already.
    """
    applied = _carry_out(work_out(edit, namespace), protected)
    remember(applied)
    return applied


def preview(edit: Edit, namespace: dict[str, Any]) -> list[str]:
    """What of the edit is not applied, or needs a word: before anything happens."""
    return work_out(edit, namespace).notes


def bring_along(prepared: Prepared, namespace: dict[str, Any]) -> list[str]:
    """A crashed frame goes on in new code: so does everything else of the edit. Out: notes. Raises CannotResume."""
    return apply(prepared.edit, namespace, prepared.code).notes


operation.set_updater(bring_along, lambda prepared, namespace: preview(prepared.edit, namespace))


def _carry_out(work: Work, protected: CodeType | None = None) -> Applied:
    applied = Applied(work.edit, list(work.notes))
    try:
        _run_what_is_new(work, applied)
        renewal = Renewal()
        protection = protection_of(protected) if protected is not None else None
        if protected is not None and protection is not None:
            renewal.twins[id(protection.original), protection.settings] = protected
        installs = [
            (update, renewal.ready(update.function, update.new, _like(update))) for update in work.updates
        ]
        for update in work.updates:
            if update.signature is not None:
                applied.notes += follow(applied, update, work.edit)
        with swaps.lock:
            for update, install in installs:
                _install(applied, update, install)
        applied.notes += renewal.notes
        applied.notes += clear_caches(work.living, [u.function for u in work.updates if u.is_changed])
    except BaseException as error:
        applied.undo()
        if isinstance(error, StatementError):
            raise CannotResume(f"surgery: {error}; nothing was changed") from error.__cause__
        raise
    _protect_what_is_new(work)
    if work.module is not None:
        _now_running(work, applied)
    return applied


def _run_what_is_new(work: Work, applied: Applied) -> None:
    filename, flags = work.edit.new.code.co_filename, work.edit.old.code.co_flags & FUTURE
    for namespace in work.namespaces:
        before = dict(namespace)
        run_statements(applied, work.changes.run, namespace, filename, flags)
        for change in work.changes.classes:
            applied.notes += add_members(applied, change, namespace, filename, flags)
        applied.notes += _imported_by_name(namespace, before)
    applied.notes[:] = dict.fromkeys(applied.notes)


def _imported_by_name(namespace: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    """Names that were bound anew, and that another module of the program has under the same name."""
    rebound = {name: before[name] for name in before if namespace.get(name) is not before[name]}
    for module in modules() if rebound else ():
        other = namespace_of(module)
        if other is namespace or files.file_of(module) is None:
            continue
        for name, value in rebound.items():
            if other.get(name) is value and not name.startswith("__"):
                yield f"{module.__name__} has imported {name} by name and keeps the old value"


def _install(applied: Applied, update: Update, install: Callable[[], None]) -> None:
    function, old = update.function, swaps.original_code(update.function)
    install()
    applied.functions += 1
    if update.remade is not None:
        set_attribute(applied, update.remade.owner, update.remade.name, update.remade.value)
        return

    where, new = weakref.ref(function), update.new

    def back() -> None:
        living = where()
        if (
            living is not None and swaps.original_code(living) is new
        ):  # else somebody has given it other code since
            Renewal().ready(living, old, living)()

    applied.steps.append(back)


def _like(update: Update) -> FunctionType:
    """The function that says how the new code is to be protected."""
    return update.function if update.remade is None else update.remade.before


def _protect_what_is_new(work: Work) -> None:
    namespaces = {id(namespace) for namespace in work.namespaces}
    if work.changes.run or work.changes.classes:
        for module in modules():
            if id(namespace_of(module)) in namespaces:
                along.try_imported(module)


def _now_running(work: Work, applied: Applied) -> None:
    filename = work.edit.new.code.co_filename
    assert work.module is not None
    before = files.now_running(filename, work.edit.new.lines, work.module)
    applied.steps.append(lambda: files.running_again(filename, before))


# Other files of the project.


def reload_all(leave_out: Iterable[str] = ()) -> list[Applied]:
    """Bring every file of the project that changed into the program; all of them, or none. Raises CannotResume.

    `leave_out`: files that are not to be looked at (the one whose surgery comes anyway).
    """
    done: list[Applied] = []
    try:
        for filename, namespace in changed_files(leave_out):
            done.append(_carry_out(work_out(_edit_of_file(filename), namespace)))
    except BaseException:
        for applied in reversed(done):
            applied.undo()
        raise
    for applied in done:
        remember(applied)
    return done


def changed_files(leave_out: Iterable[str] = ()) -> list[tuple[str, dict[str, Any]]]:
    """Files of the project that read otherwise than they did, with their module's namespace; used ones first."""
    skip, scopes = {home_of(name) for name in leave_out}, along.scopes()
    entered = {version.original.co_filename for version in instrument.entries()}
    found = []
    for module in reversed(modules()):  # a module is entered before those that it imports
        filename = files.file_of(module)
        if filename is None or filename in skip:
            continue
        if filename in entered or any(scope.holds(module) for scope in scopes):
            before, now = files.lines_before(filename), files.lines_now(filename)
            if before and now is not None and before != now:
                found.append((filename, namespace_of(module)))
                skip.add(filename)
    return found


def _edit_of_file(filename: str) -> Edit:
    before, now = files.lines_before(filename), files.lines_now(filename)
    assert before is not None and now is not None
    refresh(filename, now)
    sides = []
    for lines in (before, now):
        code = compile_module(parse_module("".join(lines), filename), filename, _PLAIN)
        index = SourceIndex(lines)
        sides.append(Side(code, Origin(index, index.tree), code))
    return Edit(*sides)


_PLAIN: CodeType = compile("", "<none>", "exec", dont_inherit=True)

__all__ = ["apply", "bring_along", "changed_files", "edit_of", "function_meant", "preview", "reload_all"]
