"""Finds the programs of the corpus and makes fresh copies of them.

In: the folder tests/corpus. Out: programs by name ("module.function"), each ready to be protected.
Always true: modules whose name ends in _pyXYZ are imported only by a Python X.YZ or newer; a copy shares no
function object with the module, so that protecting it leaves the corpus as it is.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_copies = itertools.count()  # a module of its own for each copy: whole modules are protected, by name
CORPUS = Path(__file__).resolve().parent.parent / "corpus"


@dataclass(frozen=True, slots=True)
class Declared:
    """A program and what it declares (see declare.py)."""

    name: str
    function: FunctionType
    scope: str
    refuses: tuple[str, ...]
    either: tuple[str, ...]
    repeats: tuple[str, ...]
    carried: bool
    undecided: bool = False
    large: bool = False

    def copy(self) -> Callable[[Any], Any]:
        """A function of the same code that nothing else refers to."""
        if self.scope == "module":
            module, _, function = self.name.partition(".")
            return getattr(_load(module, f"corpus_copy_{next(_copies)}_{module}"), function)  # type: ignore[no-any-return]
        original = self.function
        copy = FunctionType(
            original.__code__,
            original.__globals__,
            original.__name__,
            original.__defaults__,
            original.__closure__,
        )
        copy.__kwdefaults__, copy.__qualname__, copy.__module__ = (
            original.__kwdefaults__,
            original.__qualname__,
            original.__module__,
        )
        return copy


def _suits(path: Path) -> bool:
    version = re.search(r"_py3(\d+)$", path.stem)
    return version is None or sys.version_info >= (3, int(version.group(1)))


def _load(stem: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, CORPUS / f"{stem}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def programs() -> dict[str, Declared]:
    """All programs that this Python can compile, by name, in the order of the text."""
    found = {}
    for path in sorted(CORPUS.glob("*.py")):
        if not _suits(path):
            continue
        module = _load(path.stem, f"corpus_{path.stem}")
        for name, value in list(vars(module).items()):
            if _is_program(module, name, value):
                declared = _declared(f"{path.stem}.{name}", value)
                found[declared.name] = declared
    return found


def _is_program(module: ModuleType, name: str, value: object) -> bool:
    return (
        isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and _takes_p(value)
        and name[0] != "_"
    )


def _takes_p(function: FunctionType) -> bool:
    return function.__code__.co_varnames[:1] == ("p",) and function.__code__.co_argcount == 1


def _declared(name: str, function: Any) -> Declared:
    return Declared(
        name,
        function,
        getattr(function, "scope", "nested"),
        getattr(function, "refuses", ()),
        getattr(function, "either", ()),
        getattr(function, "repeats", ()),
        getattr(function, "carried", False),
        getattr(function, "undecided", False),
        getattr(function, "large", False),
    )
