"""The test suites of libraries, with the library, its tests, pytest and the standard library protected: the same pass.

In: the command line (names of libraries, --mode, --work). Out: a table, the differences; exit status 1 if one is not
expected. Run as `python tests/downstream/libraries.py`.
Always true: the libraries and their tests come from source distributions, into an environment of their own under
--work, which is used again; a library that cannot be had is named and left out.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.console import Console  # noqa: E402  (the path comes first: this file is a script)

from downstream import comparison  # noqa: E402
from downstream.outcomes import Suite, servers  # noqa: E402
from downstream.protecting import MODES  # noqa: E402

PATIENCE = 1500.0  # seconds for one suite
NEEDED = ("bytecode", "rich", "tenacity", "pytest>=8.3", "hypothesis", "numpy", "setuptools")
WORK = Path(__file__).resolve().parents[2] / ".ci" / "work" / f"downstream-{sys.version_info[0]}.{sys.version_info[1]}"


@dataclass(frozen=True, slots=True)
class Library:
    """A library whose tests are in its source distribution. `tests`: arguments for pytest, in its folder."""

    name: str
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()


LIBRARIES = (
    Library("attrs", ("tests", "--ignore=tests/test_mypy.yml"), ("cloudpickle",)),
    Library("more-itertools", ("tests",)),
    Library("pluggy>=1.5", ("testing",)),
    Library("toolz", ("toolz", "--ignore=toolz/tests/test_tlz.py")),
    Library("networkx", ("networkx/classes", "networkx/utils", "networkx/readwrite", "networkx/algorithms/traversal")),
    Library("sympy", ("sympy/core", "sympy/logic", "sympy/sets", "-m", "not slow"), ("mpmath",)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Get them, run them, say what differs."""
    options = _options(arguments)
    to, began, rows = comparison.console(), time.monotonic(), []
    python = make_environment(options.work)
    suites = [suite for library in wanted(options.libraries) if (suite := get(library, options.work, python, to))]
    running = servers(["plain", *options.mode], python=str(python))
    for row in comparison.examine_all(suites, running, PATIENCE, options.jobs):
        rows.append(row)
        comparison.tell(to, row, options.details)
    to.print(comparison.table(f"CPython {platform.python_version()}: tests of libraries", rows, options.mode))
    for reason in comparison.reasons(rows):
        to.print(f"expected: {reason}", markup=False, highlight=False)
    to.print(f"{len(rows)} libraries in {time.monotonic() - began:.0f} s")
    return int(any(row.faults() for row in rows))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", help="names (all that are known)")
    parser.add_argument("--mode", action="append", choices=MODES[1:], help="how it is protected (all three)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes at once")
    parser.add_argument("--work", type=Path, default=WORK, help="a folder for what is downloaded and installed")
    parser.add_argument("--details", type=argparse.FileType("w"), help="a file for all that is known of differences")
    options = parser.parse_args(arguments)
    options.mode = options.mode or list(MODES[1:])
    return options


def wanted(names: Sequence[str]) -> list[Library]:
    """Those of these names, or all."""
    return [library for library in LIBRARIES if not names or plain_name(library) in names]


def plain_name(library: Library) -> str:
    """Without a version."""
    return library.name.partition(">")[0]


def make_environment(work: Path) -> Path:
    """An environment with what the workers need. Out: its Python."""
    python = work / "environment" / "bin" / "python"
    if not python.exists():
        work.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(work / "environment")], check=True)
        _pip(python, "install", *NEEDED).check_returncode()
    return python


def get(library: Library, work: Path, python: Path, to: Console) -> Suite | None:
    """Its source distribution, unpacked, and installed from there."""
    folder = work / plain_name(library)
    if not folder.exists():
        done = _download(library, folder, python)
        if done is not None:
            to.print(f"{library.name} cannot be had here, left out: {done}", markup=False, highlight=False)
            return None
    (root,) = (path for path in folder.iterdir() if path.is_dir())
    return Suite(root.name, "pytest", library.tests, folder=str(root))


def _download(library: Library, folder: Path, python: Path) -> str | None:
    """Out: None, or why not."""
    packed = folder.with_suffix(".packed")
    name = plain_name(library)
    steps = [
        ("download", "--no-deps", "--no-binary", name, "--dest", str(packed), library.name),
        ("install", "--no-binary", name, library.name, *library.needs),
    ]
    for step in steps:
        done = _pip(python, *step)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    (archive,) = packed.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder, filter="data")
    return None


def _pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
