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
from types import CodeType, FunctionType
from typing import Any

from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.autoinstrument.tracebacks import without_frame
from daifu_bc.transform import Settings, protect_or_leave
from daifu_bc.transform.registry import record_skipped


def protect_module(code: CodeType, name: str, selection: Selection) -> CodeType:
    """What a module of this name is to run in place of `code`: the same, if nothing in it is selected."""
    filename = code.co_filename
    if not selection.wants(name, filename):
        return code
    settings = Settings()
    try:
        selection.seen.add(filename)
        if selection.whole(name, filename):
            return protect_or_leave(code, settings)
        return protect_or_leave(code, settings, lambda inner: selection.leaves(name, filename, inner))
    except Exception as error:  # runs inside the user's import, which must not notice
        record_skipped(code, f"internal error: {type(error).__name__}: {error}")
        return code


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

        def get_code(self: object, fullname: str) -> CodeType | None:
            try:
                code = before(self, fullname)
            except BaseException as error:  # it goes on, without this frame
                error.__traceback__ = without_frame(error, globals())
                raise
            return protect_module(code, fullname, selection) if type(code) is CodeType else code

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
