"""The import hook: modules that are selected run protected code from their first line.

In: a selection. Out: `install()`, `uninstall()`. Always true: a module's loader, spec, `__file__` and `__cached__` are
those of plain Python; what Python writes into `.pyc` files is the plain code; a module that cannot be protected runs
as it is, with the reason on record.

What we want: to exchange a module's code between the moment when it is loaded and the moment when it runs, whoever
loads it. What does not work: a finder on `sys.meta_path` is not asked for modules that are loaded by path
(`spec_from_file_location`), and other tools' finders come before it; a loader of our own is another loader to whom it
may concern. What we do: the methods of the standard library's loaders that return a module's code return the protected
one. They take their own frames out of the tracebacks of failing imports.
What still fails: loaders that execute code without asking `get_code` (pytest's rewriting of asserts); functions of such
modules are protected when their import ends (see along.py).
"""

from __future__ import annotations

import importlib._bootstrap_external as _bootstrap_external
import runpy
import zipimport
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any

from daifu_bc.autoinstrument import cache
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.autoinstrument.tracebacks import without_frame
from daifu_bc.transform import Settings, protect_or_leave
from daifu_bc.transform.registry import record_skipped


def protect_module(code: CodeType, name: str, selection: Selection, keep: bool = True) -> CodeType:
    """What a module of this name is to run in place of `code`: the same, if nothing in it is selected.

    `keep`: the code is what Python makes of the file, and nobody else has had a say in it.
    """
    filename = code.co_filename
    if not selection.wants(name, filename):
        return code
    try:
        selection.seen.add(filename)
        stamp, tag = cache.stamp_of(filename) if keep else None, selection.tag(name)
        known = cache.fetch(filename, tag, stamp, code) if stamp is not None else None
        if known is not None:
            return known
        protected = _protect(code, name, selection)
        if stamp is not None:
            cache.store(filename, tag, stamp, protected)
        return protected
    except Exception as error:  # runs inside the user's import, which must not notice
        record_skipped(code, f"internal error: {type(error).__name__}: {error}")
        return code


def _protect(code: CodeType, name: str, selection: Selection) -> CodeType:
    filename = code.co_filename
    if selection.whole(name, filename):
        return protect_or_leave(code, Settings())
    return protect_or_leave(code, Settings(), lambda inner: selection.leaves(name, filename, inner))


def _cached(loader: SourceFileLoader, name: str, selection: Selection) -> CodeType | None:
    """The protected code of a module that was protected before; so its `.pyc` need not be read."""
    try:
        filename = loader.get_filename(name)
        if not selection.wants(name, filename):
            return None
        stamp = cache.stamp_of(filename)
        code = cache.fetch(filename, selection.tag(name), stamp) if stamp is not None else None
        if code is not None:
            selection.seen.add(filename)
        return code
    except Exception:  # runs inside the user's import: the loader shall say what is wrong
        return None


class Hook:
    """Loaders that return protected code, until `uninstall()`."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._replaced: list[tuple[Any, str, Any, Any]] = []

    def install(self) -> None:
        """Take the place of `get_code` in the loaders, and of what runs a file as a module."""
        # Private: where SourceFileLoader has it from, and what `runpy.run_path` and spawned processes use.
        self._replace(vars(_bootstrap_external)["SourceLoader"], "get_code", self._get_code)
        self._replace(zipimport.zipimporter, "get_code", self._get_code)
        self._replace(runpy, "_get_code_from_file", self._get_code_from_file)

    def uninstall(self) -> None:
        """Put everything back that is still ours."""
        for owner, name, before, ours in self._replaced:
            if vars(owner).get(name) is ours:
                setattr(owner, name, before)
        self._replaced.clear()

    def _replace(self, owner: Any, name: str, make: Callable[[Callable[..., Any]], FunctionType]) -> None:
        before = vars(owner)[name]
        ours = make(before)
        ours.__doc__ = before.__doc__
        self._replaced.append((owner, name, before, ours))
        setattr(owner, name, ours)

    def _get_code(self, before: Callable[..., Any]) -> Any:
        selection = self.selection
        is_pythons = _is_pythons(before) and _is_pythons(SourceFileLoader.source_to_code)

        def get_code(self: Any, fullname: str) -> CodeType | None:
            keep = is_pythons and type(self) is SourceFileLoader
            known = _cached(self, fullname, selection) if keep else None
            if known is not None:
                return known
            try:
                code = before(self, fullname)
            except BaseException as error:  # it goes on, without this frame
                error.__traceback__ = without_frame(error, globals())
                raise
            return protect_module(code, fullname, selection, keep) if type(code) is CodeType else code

        return get_code

    def _get_code_from_file(self, before: Callable[..., Any]) -> Any:
        selection = self.selection

        def _get_code_from_file(*asked: Any) -> Any:
            try:
                found = before(*asked)
            except BaseException as error:  # it goes on, without this frame
                error.__traceback__ = without_frame(error, globals())
                raise
            if type(found) is tuple:  # Python 3.12: the code, and the name of its file
                return (protect_module(found[0], "__main__", selection), *found[1:])
            return protect_module(found, "__main__", selection)

        return _get_code_from_file


def _is_pythons(function: Any) -> bool:
    """Is it the function that importlib has, and not another tool's?"""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename.startswith("<frozen importlib")
