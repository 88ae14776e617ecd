"""protect, unprotect, is_protected: which functions are entries.

In: a target (see targets.py) and what the user asks for it. Out: the same object, whose functions run protected code.
Always true: nothing is wrapped, only `__code__` is swapped, so signature, defaults, pickling and inspect see the same
function; either all functions of a target that can be protected are, or `CannotProtect` is raised and none is;
calls that run already are not affected; `unprotect` restores the very code objects that were there.

Decisions: protecting again without settings changes nothing; protecting again with settings replaces all of them.
When the last entry is unprotected, everything that came along with entries gets its own code back too. Functions that
protected code has made in the meantime (closures) keep protected code, which acts only below an entry; `unprotect`
takes them too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, TypeVar, overload

from daifu_bc import along, swaps
from daifu_bc.crash.entries import Always, Entry, set_entry
from daifu_bc.errors import CannotProtect, DaifuError
from daifu_bc.scope import KINDS
from daifu_bc.swaps import Version
from daifu_bc.targets import functions_of
from daifu_bc.transform import Settings

T = TypeVar("T")
Policy = Callable[[Any], Any]
_KEEPS = ("calls", "all")
_ON_INTERRUPT = ("raise", "pause")
_watch_interrupts: Callable[[], object] = bool  # handed in from above: Ctrl-C may pause from now on


def set_interrupts(watch: Callable[[], object]) -> None:
    """Call `watch` when a function is protected with on_interrupt="pause"."""
    global _watch_interrupts
    _watch_interrupts = watch


@dataclass(frozen=True, slots=True)
class _Wish:
    """What one call of `protect` asks for."""

    on_crash: Policy | None = None
    scope: str = "project"
    keep: str = "calls"
    always: Always = ()
    on_interrupt: str = "raise"

    def key(self) -> tuple[object, ...]:
        """Equal for wishes that the same protected code can serve. Policies need not be hashable."""
        always = self.always if isinstance(self.always, tuple) else id(self.always)
        return (id(self.on_crash), self.scope, self.keep, always, self.on_interrupt)

    def entry(self) -> Entry:
        return Entry(self.on_crash, self.scope, self.keep, self.always, self.on_interrupt)

    def settings(self) -> Settings:
        return Settings(keep="all" if self.keep == "all" else "calls", always=bool(self.always))


_NOTHING_ASKED = _Wish()
_entries: dict[tuple[object, ...], Version] = {}  # (id of the original, *wish) -> version with an entry
_sweep_at = 64  # how many there may be before those of dead functions are dropped


@overload
def protect(
    target: None = None,
    /,
    *,
    on_crash: Policy | None = None,
    scope: str = "project",
    keep: str = "calls",
    always: object = (),
    on_interrupt: str = "raise",
) -> Callable[[T], T]: ...
@overload
def protect(
    target: T,
    /,
    *,
    on_crash: Policy | None = None,
    scope: str = "project",
    keep: str = "calls",
    always: object = (),
    on_interrupt: str = "raise",
) -> T: ...
def protect(
    target: Any = None,
    /,
    *,
    on_crash: Policy | None = None,
    scope: str = "project",
    keep: str = "calls",
    always: object = (),
    on_interrupt: str = "raise",
) -> Any:
    """Make `target` an entry: a crash in it, or in protected code below it, stops and can be resumed.

    `target`: a Python function of any kind, a method, property, partial or other wrapper, a class, a module, an
    nn.Module instance. Returns it; without it, returns a decorator.
    `on_crash`: called with a `Crash`, returns a restart or None. `scope`: what is protected along with it: "nested",
    "module", "project", "all". `keep`: "calls", or "all" (results of operators too). `always`: exception classes, or a
    function of the exception, for what is a crash even where the program would handle it. `on_interrupt`: "raise", or
    "pause" (Ctrl-C stops it at its next line, to be looked at and gone on with).
    Raises CannotProtect for what has no Python code. With DAIFU_BC_OFF=1 the target is returned as it is.
    """
    wish = _Wish(on_crash, scope, keep, _as_always(always), on_interrupt)
    _check(wish)
    if target is None:
        return lambda target: _protect(target, wish)
    return _protect(target, wish)


def unprotect(target: T) -> T:
    """Give the functions of `target` the code back that they were made with. Returns `target`."""
    try:
        functions = functions_of(target)
    except CannotProtect:
        return target
    with swaps.lock:
        for function in functions:
            swaps.restore(function)
        _sweep()
        if not _entries:
            along.undo()
    return target


def is_protected(target: object) -> bool:
    """Whether `target` runs protected code, as an entry or along with one: all functions of it that can be."""
    try:
        functions = functions_of(target)
    except CannotProtect:
        return False
    possible = [function for function in functions if swaps.why_refused(function) is None]
    return bool(possible) and all(swaps.runs_protected(function) for function in possible)


def is_off() -> bool:
    """Whether DAIFU_BC_OFF turns everything off."""
    return os.environ.get("DAIFU_BC_OFF", "").strip().lower() not in ("", "0", "false", "no")


def _protect(target: T, wish: _Wish) -> T:
    if is_off():
        return target
    functions = functions_of(target)
    if wish.on_interrupt == "pause":
        _watch_interrupts()
    with swaps.lock:
        if wish.key() == _NOTHING_ASKED.key():
            functions = [function for function in functions if not _is_entry(function)]
        refusals, fresh, entry = [], [], wish.entry()
        for function in functions:
            try:
                version, is_new = _entry_version(function, wish, entry)
                swaps.install(function, version)
                fresh += [version] if is_new else []
            except DaifuError as error:
                refusals.append(error)
        if functions and len(refusals) == len(functions):
            raise refusals[0]
        along.await_first_call(fresh, functions, wish.scope)
        if len(_entries) > _sweep_at:
            _sweep()
    return target


def _is_entry(function: FunctionType) -> bool:
    version = swaps.version_of(function)
    return version is not None and version.entry is not None


def _entry_version(function: FunctionType, wish: _Wish, entry: Entry) -> tuple[Version, bool]:
    """The version of this function's code for this wish, and whether it is new. Functions of one `def` share it."""
    original = swaps.original_code(function)
    key = (id(original), *wish.key())
    known = _entries.get(key)
    if known is not None:
        return known, False
    version = _entries[key] = swaps.make(original, wish.settings(), entry)
    set_entry(version.code, entry)
    return version, True


def entry_renewed(version: Version, original: CodeType, code: CodeType | None = None) -> Version:
    """The version of new code that takes the place of an entry's; `code`: it, protected. Raises CannotProtect."""
    assert version.entry is not None
    wish = next(key[1:] for key, known in _entries.items() if known is version)
    known = _entries.get((id(original), *wish))
    if known is None:
        known = _entries[id(original), *wish] = swaps.make(original, version.settings, version.entry, code)
        set_entry(known.code, version.entry)
        along.wait_there_too(version.code, known.code)
    return known


def entries() -> list[Version]:
    """The versions that are entries now."""
    return list(_entries.values())


def _is_needed(version: Version) -> bool:
    """Does a living function run it, or a frame that began before an edit of its function?"""
    return bool(len(version.functions)) or any(_is_entry(function) for function in version.heirs)


def _sweep() -> None:
    """Drop the versions that no living function runs. Calls of them that run already keep code and entry."""
    global _sweep_at
    for key, version in list(_entries.items()):
        if not _is_needed(version):
            along.stop_waiting(version.code)
            del _entries[key]
    _sweep_at = max(64, 2 * len(_entries))


def _as_always(always: object) -> Always:
    """One exception class or several, or a function of the exception."""
    if isinstance(always, type):
        always = (always,)
    if isinstance(always, list | set | frozenset):
        always = tuple(always)
    if not isinstance(always, tuple):
        if not callable(always):
            raise TypeError(f"always: exception classes or a function of the exception, not {always!r}")
        return always
    for item in always:
        if not (isinstance(item, type) and issubclass(item, BaseException)):
            raise TypeError(f"always: {item!r} is not an exception class")
    return always


def _check(wish: _Wish) -> None:
    if wish.scope not in KINDS:
        raise ValueError(f"scope: one of {', '.join(map(repr, KINDS))}, not {wish.scope!r}")
    if wish.keep not in _KEEPS:
        raise ValueError(f"keep: one of {', '.join(map(repr, _KEEPS))}, not {wish.keep!r}")
    if wish.on_interrupt not in _ON_INTERRUPT:
        raise ValueError(f"on_interrupt: one of {', '.join(map(repr, _ON_INTERRUPT))}, not {wish.on_interrupt!r}")
    if wish.on_crash is not None and not callable(wish.on_crash):
        raise TypeError(f"on_crash: a function of a Crash, not {wish.on_crash!r}")
