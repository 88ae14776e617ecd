"""A policy that is given by name, `module:function`: imported when the first crash asks for it.

In: the name. Out: a decider. Always true: nothing of the program's is imported before the program does so itself, or
crashes; in a process that was spawned the name means the same as in its parent.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from typing import Any


class Named:
    """Asks the function of this name. What goes wrong on the way is a note on the exception, as with any policy."""

    def __init__(self, name: str, root: str) -> None:
        self.name = name
        self.root = root
        self._found: Callable[[Any], Any] | None = None

    def __call__(self, crash: Any) -> Any:
        if self._found is None:
            self._found = find(self.name, self.root)
        return self._found(crash)

    def __repr__(self) -> str:
        return f"<policy {self.name}>"


def find(name: str, root: str) -> Callable[[Any], Any]:
    """The function that `module:function` names; the module may lie in the project's root, where the program itself may

    not look for it. In `__main__`: of the script, also in its worker processes.
    """
    module_name, _, path = name.partition(":")
    found: Any = sys.modules.get("__mp_main__") if module_name == "__main__" else None
    if found is None or not hasattr(found, path.partition(".")[0]):
        found = _import(module_name, root)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is no function but {found!r}")
    return found  # type: ignore[no-any-return]


def why_not(name: str, folders: Sequence[str]) -> str | None:
    """Why nobody will be asked at a crash, as far as that can be told without importing anything; or None."""
    top = name.partition(":")[0].partition(".")[0]
    if (
        top == "__main__"
        or top in sys.modules
        or PathFinder.find_spec(top, [*folders, *sys.path]) is not None
    ):
        return None
    return f"policy {name}: there is no module {top}"


def _import(name: str, root: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
    sys.path.append(root)
    try:
        return importlib.import_module(name)
    finally:
        if root in sys.path:
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(root)]
