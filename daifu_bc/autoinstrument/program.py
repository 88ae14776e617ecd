"""The program that this interpreter was started for, and the project that it belongs to.

In: the interpreter's command line, read at start-up, when `sys.path[0]` is not set yet. Out: `Program`; a root.
Always true: nothing of the program is imported or run for the answer.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from daifu_bc.scope import is_installed

_WITH_VALUE: Final = "WX"
ROOT_VARIABLE: Final = "DAIFU_BC_ROOT"  # handed to processes whose command line does not name the program
_HELPERS: Final = ("from multiprocessing.", "import multiprocessing.")


@dataclass(frozen=True, slots=True)
class Program:
    """How the interpreter was asked to run what: "script", "module", "command", or "" (stdin, a prompt, unknown)."""

    kind: str
    what: str = ""  # path as given, module name, text of the command
    skips_first_line: bool = False  # python -x

    @property
    def is_helper(self) -> bool:
        """Does the command line stand for a process of multiprocessing's, which gets its work later?"""
        return self.kind == "command" and self.what.startswith(_HELPERS)


def read_program(arguments: Sequence[str]) -> Program:
    """What `sys.orig_argv` asks for. Options may be joined: `-uc "..."`, `-Wd`."""
    rest = list(arguments[1:])
    skips = False
    while rest:
        text = rest.pop(0)
        if text == "-" or not text.startswith("-"):
            return Program("script", text, skips) if text != "-" else Program("")
        if text.startswith("--"):
            if text == "--check-hash-based-pycs" and rest:
                rest.pop(0)
            continue
        letters = text[1:]
        for position, letter in enumerate(letters):
            value = letters[position + 1 :]
            if letter in "cm":
                found = value or (rest[0] if rest else "")
                return Program("command" if letter == "c" else "module", found)
            if letter in _WITH_VALUE:
                if not value and rest:
                    rest.pop(0)
                break
            skips = skips or letter == "x"
    return Program("")


def root_of(program: Program, path: Sequence[str]) -> str:
    """The root of the project that the program belongs to; a tool that is installed works on the current folder."""
    inherited = os.environ.get(ROOT_VARIABLE)
    if program.is_helper and inherited:
        return inherited
    folder = _folder_of(program, path)
    if folder is None or is_installed(os.path.join(folder, "")) or _is_for_commands(folder):
        folder = os.getcwd()
    return find_root(folder)


def find_root(folder: str) -> str:
    """The nearest folder with a pyproject.toml or .git, from `folder` upwards; else `folder`. A real path."""
    start = current = os.path.realpath(folder)
    while True:
        if any(os.path.exists(os.path.join(current, name)) for name in ("pyproject.toml", ".git")):
            return current
        parent = os.path.dirname(current)
        if parent == current:
            return start
        current = parent


def _folder_of(program: Program, path: Sequence[str]) -> str | None:
    if program.kind == "script":
        found = os.path.realpath(program.what)
        return found if os.path.isdir(found) else os.path.dirname(found)
    if program.kind != "module":
        return None
    top = program.what.partition(".")[0]
    here = [] if sys.flags.safe_path else [os.getcwd()]
    for folder in [*here, *path]:
        place = os.path.join(folder, top)
        if os.path.isdir(place):
            return place
        if os.path.isfile(f"{place}.py"):
            return folder
    return None


def _is_for_commands(folder: str) -> bool:
    """Where installers put console scripts: `torchrun`, `pytest`."""
    return os.path.realpath(sysconfig.get_path("scripts")) == os.path.realpath(folder)
