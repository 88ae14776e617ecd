"""Which modules and functions are protected.

In: options and the project's root. Out: `Selection`: `wants(name, filename)` for code that is about to run, `leaves`
for functions in it, `holds(module)` for modules that are there already. Always true: daifu_bc itself, what it needs to
run, and the standard library are never selected.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import CodeType, ModuleType

from daifu_bc.autoinstrument.options import Options
from daifu_bc.scope import is_installed, is_standard_library
from daifu_bc.targets import namespace_of

_OURS = frozenset({"daifu_bc", "bytecode", "rich", "tenacity", "_daifu_bc_startup"})
_OUR_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_COMMAND = "<string>"  # file name of what `python -c` runs


@dataclass(frozen=True, slots=True)
class Pattern:
    """`pkg.mod`, `pkg.*` (the package itself too), `pkg.mod:func`, `pkg.mod:Class.method`."""

    module: str
    function: str = ""

    def matches(self, name: str) -> bool:
        """Does the module of this name match?"""
        return fnmatchcase(name, self.module) or (self.module.endswith(".*") and name == self.module[:-2])

    def covers(self, qualname: str) -> bool:
        """Is the function named, or in one that is?"""
        plain = qualname.replace(".<locals>", "")
        return not self.function or plain == self.function or plain.startswith(f"{self.function}.")


def patterns(texts: Sequence[str]) -> tuple[Pattern, ...]:
    """Parsed patterns."""
    return tuple(Pattern(*text.split(":", 1)) for text in texts)


class Selection:
    """What is protected in this process."""

    kind = "autoinstrument"

    def __init__(self, options: Options, root: str) -> None:
        self.root = root
        self.everything = "all" in options.scope
        self.project = "project" in options.scope
        named = [one for one in options.scope if one not in ("all", "project")]
        self.named = patterns([*named, *options.include])
        self.excluded = patterns(options.exclude)
        self.seen: set[str] = set()  # files whose code was protected as it was loaded
        self._below = os.path.join(root, "")

    def __str__(self) -> str:
        chosen = ["all"] if self.everything else [f"project {self.root}"] if self.project else []
        return ", ".join(chosen + [":".join(filter(None, (one.module, one.function))) for one in self.named])

    def wants(self, name: str, filename: str) -> bool:
        """Is anything in the module `name` to be protected, whose code is of `filename`?"""
        if name.partition(".")[0] in _OURS or filename.startswith(_OUR_FOLDER):
            return False
        if any(one.matches(name) and not one.function for one in self.excluded):
            return False
        return self._by_place(filename) or (
            any(one.matches(name) for one in self.named) and not is_standard_library(filename)
        )

    def whole(self, name: str, filename: str) -> bool:
        """Is all of the module to be protected?"""
        chosen = self._by_place(filename) or any(one.matches(name) and not one.function for one in self.named)
        return chosen and not any(one.matches(name) for one in self.excluded)

    def leaves(self, name: str, filename: str, code: CodeType) -> bool:
        """Is this function of a module that is wanted in part left as it is?"""
        qualname = code.co_qualname
        if any(one.function and one.matches(name) and one.covers(qualname) for one in self.excluded):
            return True
        return not self._by_place(filename) and not any(
            one.matches(name) and one.covers(qualname) for one in self.named
        )

    def tag(self, name: str) -> str:
        """Equal for modules of which the same is protected: a part of the names of cached files."""
        partly = [one for one in (*self.named, *self.excluded) if one.function and one.matches(name)]
        if not partly:
            return "whole"
        described = repr((partly, self.excluded, self.everything, self.project))
        return hashlib.blake2b(described.encode(), digest_size=8).hexdigest()

    def holds(self, module: ModuleType) -> bool:
        """Is this module, which was loaded without us, to be protected?"""
        namespace = namespace_of(module)
        name, filename = namespace.get("__name__"), namespace.get("__file__")
        if not isinstance(name, str) or not isinstance(filename, str) or filename in self.seen:
            return False
        return self.wants(name, filename) and self.whole(name, filename)

    def _by_place(self, filename: str) -> bool:
        if filename == _COMMAND:
            return self.everything or self.project
        if self.everything:
            return filename.startswith("/") and not is_standard_library(filename)
        if not self.project or filename.startswith("<") or is_installed(filename):
            return False
        return filename.startswith(self._below) or os.path.realpath(filename).startswith(self._below)
