"""Modules in real files, edited while they are in use; nothing of a test stays."""

from __future__ import annotations

import importlib
import itertools
import sys
import textwrap
from pathlib import Path

import pytest

import daifu_bc
from daifu_bc import Surgery, along, instrument, swaps
from daifu_bc.restarts.attempts import forget_attempts
from daifu_bc.updates import apply, undo

_numbers = itertools.count()


class Program:
    """A module in a file, and edits of it."""

    def __init__(self, folder: Path, text: str, name: str) -> None:
        self.path = folder / f"{name}.py"
        self.path.write_text(textwrap.dedent(text))
        self.module = importlib.import_module(name)

    def write(self, text: str) -> None:
        self.path.write_text(textwrap.dedent(text))

    def replace(self, *pairs: tuple[str, str]) -> None:
        text = self.path.read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        self.path.write_text(text)

    def protect(self, name: str = "run", **wishes):
        """An entry whose text is known."""
        daifu_bc.protect(getattr(self.module, name), **wishes)
        return getattr(self.module, name)

    def edit(self, *pairs: tuple[str, str], function=None) -> undo.Applied:
        """Save the file with changes and bring the program up to date."""
        self.replace(*pairs)
        function = function or self.module.run
        return apply.apply(apply.edit_of(function), vars(self.module))


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(text)` writes a module and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def make(text: str, name: str = "") -> Program:
        name = name or f"edited_{next(_numbers)}"
        made.append(name)
        importlib.invalidate_caches()
        return Program(tmp_path, text, name)

    yield make
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch):
    monkeypatch.delenv("DAIFU_BC_OFF", raising=False)
    yield
    daifu_bc.set_default_policy(None)
    for function in list(swaps._versions):
        swaps.restore(function)
    instrument._sweep()
    along.undo()
    forget_attempts()
    undo._applied.clear()


class SaveAndGoOn:
    """A policy: at each crash the next edit of the file is saved, and the run goes on in it."""

    def __init__(self, program: Program, *edits: tuple[tuple[str, str], ...]) -> None:
        self.program, self.edits, self.crashes = program, list(edits), []

    def __call__(self, crash):
        self.crashes.append((crash.function, crash.lineno))
        if not self.edits:
            return None
        self.program.replace(*self.edits.pop(0))
        return Surgery()


@pytest.fixture
def save_and_go_on():
    return SaveAndGoOn
