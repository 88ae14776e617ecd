"""Functions whose `__code__` was swapped, and what it was before.

In: functions and protected code. Out: the same functions with other code, and the way back. Always true: `restore`
gives a function the very code object that it was made with; a function that somebody else gave new code in the
meantime keeps that; nothing here keeps a function alive.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Final
from weakref import WeakKeyDictionary, WeakSet

from daifu_bc.analysis.source import remember_file
from daifu_bc.analysis.source_codes import note_texts
from daifu_bc.crash.entries import Entry
from daifu_bc.errors import CannotProtect, DaifuError, InternalError
from daifu_bc.interpreter.code_table import CodeTable
from daifu_bc.transform import Settings, protect_code
from daifu_bc.transform.registry import is_protected_code, original_of, record_skipped

lock = threading.RLock()
"""Held while functions are swapped. Taken anew in a forked child: use it as `swaps.lock`."""


@dataclass(eq=False, slots=True)
class Version:
    """Protected code made of `original`, for the functions that run it. With an entry: they are entries."""

    original: CodeType
    code: CodeType
    settings: Settings
    entry: Entry | None = None
    functions: WeakSet[FunctionType] = field(default_factory=WeakSet)
    heirs: WeakSet[FunctionType] = field(default_factory=WeakSet)  # they ran it before an edit; their frames may still


_versions: Final[WeakKeyDictionary[FunctionType, Version]] = WeakKeyDictionary()
_refused: Final[CodeTable[str]] = CodeTable()  # original -> why it cannot be protected


def make(
    original: CodeType, settings: Settings, entry: Entry | None = None, code: CodeType | None = None
) -> Version:
    """A version of `original` of its own; `code`: it, protected, if that was done already. Raises CannotProtect."""
    remember_file(original.co_filename)  # the text may be edited while the code runs
    note_texts(original)
    try:
        code = protect_code(original, settings) if code is None else code
    except DaifuError as error:
        _refuse(original, str(error))
        raise
    except Exception as error:
        reason = f"{original.co_qualname}: {type(error).__name__}: {error}"
        _refuse(original, reason)
        raise InternalError(reason) from error
    if entry is not None and code is original:
        code = original.replace()  # nothing in it can raise; still, an entry has code of its own
    return Version(original, code, settings, entry)


def install(function: FunctionType, version: Version) -> None:
    """Let `function` run `version` from its next call on. Raises CannotProtect where it takes no other code."""
    forget(function)
    try:
        function.__code__ = version.code
    except (ValueError, TypeError, AttributeError) as error:
        reason = f"{function.__qualname__} takes no other code ({error}); protect the function that calls it"
        _refuse(version.original, reason)
        raise CannotProtect(reason) from error
    _versions[function] = version
    version.functions.add(function)


def restore(function: FunctionType) -> Version | None:
    """Give `function` its original code back. Out: the version that it ran, None if there was none."""
    version = forget(function)
    code = original_of(function.__code__)
    if version is not None and function.__code__ is version.code:
        code = version.original
    if code is not function.__code__:
        function.__code__ = code
    return version


def _refuse(original: CodeType, reason: str) -> None:
    _refused.put(original, reason)
    record_skipped(original, reason)


def forget(function: FunctionType) -> Version | None:
    """Take the function off the books and leave its code as it is."""
    version = _versions.pop(function, None)
    if version is not None:
        version.functions.discard(function)
    return version


def version_of(function: FunctionType) -> Version | None:
    """The version that `function` runs now."""
    version = _versions.get(function)
    return version if version is not None and function.__code__ is version.code else None


def original_code(function: FunctionType) -> CodeType:
    """The code that `function` has without us."""
    version = version_of(function)
    return version.original if version is not None else original_of(function.__code__)


def runs_protected(function: FunctionType) -> bool:
    """Whether its code is protected: by name, along with an entry, or nested in protected code."""
    return version_of(function) is not None or is_protected_code(function.__code__)


def why_refused(function: FunctionType) -> str | None:
    """Why this function's code could not be protected when that was tried; None if it was not tried or could."""
    return _refused.get(original_code(function))


def _new_lock() -> None:
    global lock
    lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
