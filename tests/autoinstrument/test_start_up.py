"""The start-up files: nothing unless the variable is set; whatever goes wrong is one line."""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from autoinstrument.files import write

ROOT = Path(__file__).parents[2]
LOADED = "import sys; print(sorted(name for name in sys.modules if name.partition('.')[0] == 'daifu_bc'))"


def test_nothing_is_imported_unless_the_variable_is_set(python, project) -> None:
    assert python.run("-c", LOADED, cwd=project, on=False).stdout == "[]\n"
    assert "daifu_bc.along" in python.run("-c", LOADED, cwd=project).stdout


def test_a_fault_at_start_up_is_one_line_and_the_program_runs(python, project) -> None:
    write(project, {"broken/daifu_bc/__init__.py": "raise RuntimeError('two\\nlines')\n", "train.py": "print('on')\n"})
    ran = python.run("train.py", cwd=project, env={"PYTHONPATH": "broken"})
    assert ran.seen == (0, "on\n", "")
    assert ran.said == ["daifu_bc: not started, the program runs unprotected: RuntimeError: two lines"]


def test_a_package_that_is_gone_is_one_line(python, project, tmp_path) -> None:
    write(project, {"broken/daifu_bc.py": "", "train.py": "print('on')\n"})
    ran = python.run("train.py", cwd=project, env={"PYTHONPATH": "broken"})
    assert ran.seen == (0, "on\n", "") and len(ran.said) == 1


def test_the_helpers_of_multiprocessing_are_left_alone(python, project) -> None:
    text = "from multiprocessing.resource_tracker import main\n" + LOADED
    ran = python.run("-c", text, cwd=project)
    assert ran.stdout == "[]\n" and not ran.said


def test_the_wheel_puts_the_start_up_files_where_python_reads_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert sorted(included.values()) == ["_daifu_bc_startup.py", "daifu_bc.pth", "daifu_bc.start"]
    for source, target in included.items():
        assert (ROOT / source).is_file() and source.endswith(f"/{target}")


def test_an_installed_distribution_has_the_start_up_files() -> None:
    try:
        files = {str(path) for path in metadata.files("daifu_bc") or ()}
    except metadata.PackageNotFoundError:
        pytest.skip("daifu_bc is not installed here: it is imported from the checkout")
    assert {"_daifu_bc_startup.py", "daifu_bc.pth", "daifu_bc.start"} <= files


def test_the_line_for_older_pythons_is_one_import_line(monkeypatch) -> None:
    lines = (ROOT / "daifu_bc/autoinstrument/startup/daifu_bc.pth").read_text().splitlines()
    assert len(lines) == 1 and lines[0].startswith("import ")
    monkeypatch.delenv("DAIFU_BC_AUTOINSTRUMENT", raising=False)
    before = set(sys.modules)
    exec(lines[0])  # as site does; without the variable nothing happens
    assert set(sys.modules) == before
