"""Scopes: which modules are protected along with an entry.

In: the kind that `protect` was asked for and the namespace of the entry's function. Out: a `Scope`, which answers
`holds(module)`. Always true: daifu_bc itself and the standard library are in no scope; installed libraries are only in
scope "all". An entry that lives in an installed library has its own module for its project.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Final, Protocol

from daifu_bc.targets import namespace_of

KINDS: Final = ("nested", "module", "project", "all")
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_OURS: Final = ("daifu_bc", "bytecode")  # us, and what a barrier needs to run


class Holds(Protocol):
    """What decides which modules are protected along. Hashable."""

    @property
    def kind(self) -> str:
        """One word; "nested" holds nothing."""

    def holds(self, module: ModuleType) -> bool:
        """Whether the functions defined in `module` are in it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One kind of scope, seen from one module. At most one of `package` and `folder` is set, for a project."""

    kind: str
    module: str | None = None  # name of the entry's module
    package: str | None = None  # top-level package
    folder: str | None = None  # real path of the script's folder

    def holds(self, module: ModuleType) -> bool:
        """Whether the functions defined in `module` are in this scope."""
        namespace = namespace_of(module)
        name = namespace.get("__name__")
        if not isinstance(name, str) or name.partition(".")[0] in _OURS:
            return False
        if self.kind in ("nested", "module") or name == self.module:
            return name == self.module
        filename = _file_of(namespace)
        if self.kind == "all":
            return name == "__main__" or (filename is not None and not is_standard_library(filename))
        if filename is None or is_installed(filename):
            return False
        if self.package is not None:
            return _top_level(namespace) == self.package
        return self.folder is not None and _real(filename).startswith(os.path.join(self.folder, ""))

    def __str__(self) -> str:
        seen_from = self.package or self.folder or self.module
        return f"{self.kind} ({seen_from})" if seen_from else self.kind


def scope_of(kind: str, namespace: Mapping[str, Any]) -> Scope:
    """The scope of `kind` for a function whose globals are `namespace`."""
    name = namespace.get("__name__")
    if kind in ("nested", "all") or not isinstance(name, str):
        return Scope(kind)
    if kind == "module":
        return Scope(kind, module=name)
    filename = _file_of(namespace)
    if filename is None or is_installed(filename):
        return Scope(kind, module=name)
    package = _top_level(namespace)
    if package is not None:
        return Scope(kind, module=name, package=package)
    return Scope(kind, module=name, folder=os.path.dirname(_real(filename)))


def is_standard_library(filename: str) -> bool:
    """Whether this file came with Python."""
    return _is_frozen(filename) or (_is_below(filename, _STDLIB) and _INSTALLED.isdisjoint(_parts(filename)))


def is_installed(filename: str) -> bool:
    """Whether this file came with Python or was installed by a package manager (an editable install was not)."""
    return _is_frozen(filename) or _is_below(filename, _STDLIB) or not _INSTALLED.isdisjoint(_parts(filename))


def _top_level(namespace: Mapping[str, Any]) -> str | None:
    """The top-level package that a module belongs to, None for a script or a module outside packages."""
    name = namespace.get("__name__")
    if name == "__main__":
        parent = getattr(namespace.get("__spec__"), "parent", None)  # set by `python -m package.module`
        return parent.partition(".")[0] if isinstance(parent, str) and parent else None
    if not isinstance(name, str):
        return None
    top, dot, _ = name.partition(".")
    return top if dot or "__path__" in namespace else None


def _file_of(namespace: Mapping[str, Any]) -> str | None:
    found = namespace.get("__file__")
    return found if isinstance(found, str) else None


def _is_frozen(filename: str) -> bool:
    return filename.startswith("<frozen ")


def _is_below(filename: str, folder: str | None) -> bool:
    return folder is not None and filename.startswith(os.path.join(folder, ""))


def _parts(filename: str) -> list[str]:
    return filename.replace("\\", "/").split("/")


@lru_cache(maxsize=4096)
def _real(filename: str) -> str:
    """Symbolic links resolved, as `sys.path[0]` of a script is."""
    return os.path.realpath(filename)


def _stdlib() -> str | None:
    filename = getattr(os, "__file__", None)
    return os.path.dirname(filename) if filename else None


_STDLIB: Final = _stdlib()
