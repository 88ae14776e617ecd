"""A policy that is given by name, `module:function`: imported when the first crash asks for it.

In: the name. Out: a decider. Always true: nothing of the program's is imported before the program does so itself, or
crashes; in a process that was spawned the name means the same as in its parent.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


class Named:
    """Asks the function of this name. What goes wrong on the way is a note on the exception, as with any policy."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: Callable[[Any], Any] | None = None

    def __call__(self, crash: Any) -> Any:
        if self._found is None:
            self._found = find(self.name)
        return self._found(crash)

    def __repr__(self) -> str:
        return f"<policy {self.name}>"


def find(name: str) -> Callable[[Any], Any]:
    """The function that `module:function` names. In `__main__`: of the script, also in its worker processes."""
    module_name, _, path = name.partition(":")
    found: Any = sys.modules.get("__mp_main__") if module_name == "__main__" else None
    if found is None or not hasattr(found, path.partition(".")[0]):
        found = importlib.import_module(module_name)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is no function but {found!r}")
    return found  # type: ignore[no-any-return]
