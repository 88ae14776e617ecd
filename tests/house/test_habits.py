"""Habits of this repository that a machine can hold: versions in one room, short files, no traces of a machine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "daifu_bc"
SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 320  # lines; past 300 there is a second noun in the file
OWN_FOLDERS = ("daifu_bc", "tests", "perf", "bench_cases", ".ci")
TEXTS = sorted(
    path
    for folder in OWN_FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
    and path.suffix in ("", ".py", ".md", ".toml")
    and ROOT / ".ci" / "work" not in path.parents  # what .ci/run makes
    and ".hypothesis" not in path.parts  # what a run of the tests leaves behind
)
TOP = [ROOT / name for name in ("README.md", "Makefile", "pyproject.toml", "tox.ini")]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in SOURCES if "interpreter" not in path.parts], ids=name)
def test_only_the_interpreter_room_knows_versions(path: Path) -> None:
    asks = r"sys\.version_info|sys\.hexversion|python_version\(|from sys import .*version"
    assert not re.findall(asks, path.read_text()), "ask daifu_bc.interpreter.behavior for a behaviour instead"


# Where frames of modules and classes are read, whose f_locals is their namespace, or a view of our own is made.
READS_NAMESPACES = ("crash/frame_slots.py", "crash/search_names.py", "crash/variables.py", "console/frames.py")
READS_NAMESPACES += ("console/pdb_commands.py", "import_ends.py")


@pytest.mark.parametrize("path", [path for path in SOURCES if not name(path).endswith(READS_NAMESPACES)], ids=name)
def test_variables_are_read_one_by_one(path: Path) -> None:
    asks = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
    lines = [node.lineno for node in asks if node.attr == "f_locals"]
    assert not lines, "crash.frame_slots reads a slot: f_locals keeps all variables alive where it is a dict"


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_files_are_short(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= LONGEST


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_who_catches_everything_says_why(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ExceptHandler) and catches_everything(node):
            around = lines[node.lineno - 2 : node.body[0].lineno]
            assert any("#" in line for line in around), f"line {node.lineno}: say why, beside it or above it"


def catches_everything(node: ast.ExceptHandler) -> bool:
    everything = node.type is None or (
        isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
    )
    return everything and not isinstance(node.body[-1], ast.Raise)  # what goes on is not caught


def test_nothing_names_a_machine() -> None:
    here = r"(?<![\w.])/(?:root|home/\w+|Users/\w+|work|mnt|opt)/"
    hosts = r"https?://(?!127\.|localhost)[\w.-]*(?:pypi|index|mirror|proxy)[\w.-]*"
    for path in [*TEXTS, *TOP]:
        if path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.search(f"{here}|{hosts}", line)
            assert not found, f"{name(path)}, line {number}: {found and found[0]}"


def test_tests_are_no_package() -> None:
    assert not (ROOT / "tests" / "__init__.py").exists(), (
        "the checkout would be imported instead of the wheel"
    )
