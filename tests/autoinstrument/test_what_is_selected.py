"""What is protected: the project, everything, or patterns; the file, the environment, and which of them wins."""

from __future__ import annotations

import json
import os
import sysconfig

import pytest

from autoinstrument.files import write
from daifu_bc.autoinstrument.options import Options, read_options
from daifu_bc.autoinstrument.program import Program, find_root, read_program, root_of
from daifu_bc.autoinstrument.selection import Pattern, Selection

SITE = sysconfig.get_path("purelib")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["python"], Program("")),
        (["python", "-"], Program("")),
        (["python", "-i"], Program("")),
        (["python", "train.py", "-m", "x"], Program("script", "train.py")),
        (["python", "-u", "-X", "dev", "-W", "error", "train.py"], Program("script", "train.py")),
        (["python", "-Xdev", "-Werror", "-OO", "train.py"], Program("script", "train.py")),
        (["python", "-x", "train.py"], Program("script", "train.py", True)),
        (["python", "-m", "pkg.train", "-c"], Program("module", "pkg.train")),
        (["python", "-mpkg"], Program("module", "pkg")),
        (["python", "-uc", "print(1)"], Program("command", "print(1)")),
        (["python", "-Bucprint(1)"], Program("command", "print(1)")),
        (["python", "--check-hash-based-pycs", "always", "train.py"], Program("script", "train.py")),
    ],
)
def test_the_program_is_read_from_the_command_line(arguments, expected) -> None:
    assert read_program(arguments) == expected


def test_the_root_is_the_nearest_folder_that_says_so(tmp_path) -> None:
    inner = tmp_path / "repo" / "src" / "jobs"
    inner.mkdir(parents=True)
    assert find_root(str(inner)) == str(inner)
    (tmp_path / "repo" / ".git").mkdir()
    assert find_root(str(inner)) == str(tmp_path / "repo")
    (tmp_path / "repo" / "src" / "pyproject.toml").write_text("")
    assert find_root(str(inner)) == str(tmp_path / "repo" / "src")


def test_an_installed_program_works_on_the_current_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = os.path.join(sysconfig.get_path("scripts"), "torchrun")
    assert root_of(Program("script", command), []) == str(tmp_path)
    assert root_of(Program("module", "pytest"), [SITE]) == str(tmp_path)
    assert root_of(Program("command", "print(1)"), []) == str(tmp_path)


def test_a_process_of_multiprocessing_has_the_root_of_its_parent(monkeypatch) -> None:
    monkeypatch.setenv("DAIFU_BC_ROOT", "/somewhere")
    assert root_of(Program("command", "from multiprocessing.spawn import spawn_main; spawn_main()"), []) == "/somewhere"


def selected(tmp_path, **options) -> Selection:
    return Selection(Options(**options), str(tmp_path))


def test_a_project_is_what_lies_below_its_root(tmp_path) -> None:
    selection = selected(tmp_path)
    assert selection.wants("pkg.mod", str(tmp_path / "pkg" / "mod.py"))
    assert selection.wants("__main__", "<string>")
    assert not selection.wants("pkg.mod", str(tmp_path.parent / "pkg" / "mod.py"))
    assert not selection.wants("torch.nn", str(tmp_path / ".venv/lib/python3.13/site-packages/torch/nn.py"))
    assert not selection.wants("json", json.__file__)


def test_all_is_libraries_too_but_neither_the_standard_library_nor_us(tmp_path) -> None:
    import daifu_bc.along

    selection = selected(tmp_path, scope=("all",))
    assert selection.wants("torch.nn", os.path.join(SITE, "torch", "nn.py"))
    assert not selection.wants("json", json.__file__)
    assert not selection.wants("daifu_bc.along", daifu_bc.along.__file__)
    assert not selection.wants("bytecode", os.path.join(SITE, "bytecode", "__init__.py"))


def test_patterns_name_modules_packages_and_functions(tmp_path) -> None:
    selection = selected(tmp_path, scope=("pkg.mod", "lib.*", "one.two:Class.run"))
    elsewhere = "/somewhere/x.py"
    for name in ("pkg.mod", "lib", "lib.a", "lib.a.b", "one.two"):
        assert selection.wants(name, elsewhere), name
    for name in ("pkg", "pkg.mod.more", "library", "one"):
        assert not selection.wants(name, elsewhere), name
    assert selection.whole("lib.a", elsewhere) and not selection.whole("one.two", elsewhere)


@pytest.mark.parametrize(
    ("qualname", "covered"),
    [("Class.run", True), ("Class.run.<locals>.inner", True), ("Class", False), ("Class.running", False)],
)
def test_a_pattern_covers_what_is_nested_in_a_function(qualname, covered) -> None:
    assert Pattern("m", "Class.run").covers(qualname) is covered


def test_what_is_excluded_is_left_alone(tmp_path) -> None:
    selection = selected(tmp_path, include=("torch.optim.*",), exclude=("pkg.vendor.*", "pkg.mod:hot"))
    inside = str(tmp_path / "m.py")
    assert selection.wants("torch.optim.adam", "/elsewhere/adam.py")
    assert not selection.wants("pkg.vendor.x", inside)
    assert selection.wants("pkg.mod", inside) and not selection.whole("pkg.mod", inside)


def test_the_environment_beats_the_file(tmp_path) -> None:
    table = '[tool.daifu_bc]\nscope = ["pkg.*"]\nexclude = ["pkg.x"]\npolicy = "mend:again"\nwait = 30\nwatch = true\n'
    write(tmp_path, {"pyproject.toml": table})
    read = read_options(str(tmp_path), {})
    assert read == Options(scope=("pkg.*",), exclude=("pkg.x",), policy="mend:again", wait="30", watch=True)
    environment = {"DAIFU_BC_AUTOINSTRUMENT": "all", "DAIFU_BC_POLICY": "other:one", "DAIFU_BC_WATCH": "0"}
    beaten = read_options(str(tmp_path), environment)
    assert (beaten.scope, beaten.policy, beaten.watch, beaten.exclude) == (("all",), "other:one", False, ("pkg.x",))
    assert read_options(str(tmp_path), {"DAIFU_BC_AUTOINSTRUMENT": "1"}).scope == ("pkg.*",)


def test_what_makes_no_sense_in_the_file_is_said_and_left_out(tmp_path) -> None:
    table = '[tool.daifu_bc]\nscoop = "all"\npolicy = "mend"\nexclude = [1]\nwatch = true\n'
    write(tmp_path, {"pyproject.toml": table})
    read = read_options(str(tmp_path), {})
    assert read == Options(watch=True) and len(read.faults) == 3
    assert [fault.split(": ")[1].split()[0] for fault in read.faults] == ["scoop", "policy", "exclude"]
    write(tmp_path, {"pyproject.toml": "[tool.daifu_bc]\nscope = \n"})
    assert len(read_options(str(tmp_path), {}).faults) == 1


MODULE = """\
from daifu_bc import is_protected
def named():
    def inner(): print()
    return str() or inner
def other(): print()
class Thing:
    def run(self): print()
    def stop(self): print()
print([f.__qualname__ for f in (named, named(), other, Thing.run, Thing.stop) if is_protected(f)])
"""


@pytest.mark.parametrize(
    ("scope", "env", "expected"),
    [
        ("lib:named", {}, ["named", "named.<locals>.inner"]),
        ("lib:Thing.run", {}, ["Thing.run"]),
        ("lib:Thing", {}, ["Thing.run", "Thing.stop"]),
        ("project", {"DAIFU_BC_EXCLUDE": "lib:Thing,lib:other"}, ["named", "named.<locals>.inner"]),
        ("other", {}, []),
    ],
)
def test_functions_are_selected_one_by_one(python, project, scope, env, expected) -> None:
    write(project, {"lib.py": MODULE, "train.py": "import lib\n"})
    assert python.run("train.py", cwd=project, on=scope, env=env).stdout == f"{expected}\n"
