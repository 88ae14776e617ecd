"""What the README tells a reader to type is there, and its code is Python."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_make_command_of_the_readme_exists() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b(?=[^\n]*`)", README)) | set(
        re.findall(r"`make ([a-z]+)", README)
    )
    assert {"demo", "test"} <= named
    assert named <= TARGETS


def test_every_tox_environment_of_the_readme_exists() -> None:
    environments = re.search(r"env_list = (.*)", (ROOT / "tox.ini").read_text())
    assert environments
    assert set(re.findall(r"tox -e (\w+)", README)) <= set(environments[1].split(", "))


def test_python_in_the_readme_compiles() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        ast.parse(block)


def test_files_that_the_readme_links_to_exist() -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_tox_and_the_classifiers_name_the_same_pythons() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {text.rsplit(" ", 1)[1] for text in project["classifiers"] if re.search(r":: 3\.\d+$", text)}
    assert named == {f"3.{minor}" for minor in re.findall(r"py3(\d+)", (ROOT / "tox.ini").read_text())}
