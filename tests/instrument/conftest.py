"""Every test leaves no entry behind; small projects are written to a folder and run or imported from there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from daifu_bc import along, instrument, swaps


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Entries of functions that a test made are dropped with it."""
    yield
    for function in list(swaps._versions):
        swaps.restore(function)
    instrument._sweep()
    along.undo()
    along._expansions.clear()


WriteProject = Callable[[dict[str, str]], Path]
RunScript = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WriteProject]:
    """`project({"pkg/__init__.py": text, ...})` writes the files and makes them importable. Out: their folder."""
    before = set(sys.modules)

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path

    yield write
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def run_python() -> RunScript:
    """`run_python(*args, cwd=..., env={...})` runs this Python on them. Out: its stdout; fails if it fails."""

    def run(*args: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
        root = Path(instrument.__file__).parent.parent
        full = {**os.environ, "PYTHONPATH": str(root), **(env or {})}
        done = subprocess.run(
            [sys.executable, *args],
            cwd=cwd,
            env=full,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
