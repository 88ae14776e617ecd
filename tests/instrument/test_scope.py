"""Which modules a scope holds."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from daifu_bc.scope import Scope, is_installed, is_standard_library, scope_of


def module(
    name: str, file: str | Path | None = None, package: bool = False, parent: str | None = None
) -> ModuleType:
    made = ModuleType(name)
    if file is not None:
        made.__file__ = str(file)
    if package:
        made.__path__ = [os.path.dirname(str(file))]
    if parent is not None:
        made.__spec__ = ModuleSpec(f"{parent}.train", None)
    return made


SITE = "/env/lib/python3/site-packages"


def project_of(of: ModuleType) -> Scope:
    return scope_of("project", vars(of))


def test_the_project_of_a_package_is_the_package() -> None:
    scope = project_of(module("mine.loop", "/proj/mine/loop.py"))
    assert scope.package == "mine"
    assert scope.holds(module("mine.data.images", "/proj/mine/data/images.py"))
    assert scope.holds(module("mine", "/proj/mine/__init__.py", package=True))
    assert not scope.holds(module("mining", "/proj/mining.py"))
    assert not scope.holds(module("other", "/proj/other.py"))


def test_a_module_run_with_m_belongs_to_its_package() -> None:
    main = module("__main__", "/proj/mine/train.py", parent="mine")
    assert project_of(main).package == "mine"
    assert project_of(module("mine.loop", "/proj/mine/loop.py")).holds(main)


def test_the_project_of_a_script_is_its_folder(tmp_path: Path) -> None:
    scope = project_of(module("__main__", tmp_path / "train.py"))
    assert scope.folder == str(tmp_path.resolve())
    assert scope.holds(module("helper", tmp_path / "helper.py"))
    assert scope.holds(module("pkg.part", tmp_path / "pkg" / "part.py"))
    assert scope.holds(module("__main__", tmp_path / "train.py"))
    assert not scope.holds(module("elsewhere", tmp_path.parent / "elsewhere.py"))
    assert not scope.holds(module("lib", tmp_path / ".venv/lib/python3/site-packages/lib.py"))


def test_a_script_reached_by_a_link_has_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "train.py").write_text("")
    link = tmp_path / "train.py"
    link.symlink_to(tmp_path / "real" / "train.py")
    assert project_of(module("__main__", link)).holds(module("helper", tmp_path / "real" / "helper.py"))


def test_in_a_notebook_it_is_main_alone() -> None:
    scope = project_of(module("__main__"))
    assert scope.holds(module("__main__"))
    assert not scope.holds(module("helper", "/proj/helper.py"))


def test_the_project_of_an_installed_function_is_its_module() -> None:
    scope = project_of(module("lib.trainer", f"{SITE}/lib/trainer.py"))
    assert scope.holds(module("lib.trainer", f"{SITE}/lib/trainer.py"))
    assert not scope.holds(module("lib.data", f"{SITE}/lib/data.py"))


def test_module_and_nested() -> None:
    home = module("mine.loop", "/proj/mine/loop.py")
    assert scope_of("module", vars(home)).holds(home)
    assert not scope_of("module", vars(home)).holds(module("mine", "/proj/mine/__init__.py", package=True))
    assert not scope_of("nested", vars(home)).holds(home)


def test_all_is_everything_but_the_standard_library_and_us() -> None:
    scope = scope_of("all", {})
    assert scope.holds(module("lib", f"{SITE}/lib.py")) and scope.holds(module("__main__"))
    for name in ("os", "json.decoder", "builtins", "daifu_bc.errors", "importlib._bootstrap", "bytecode"):
        __import__(name)
        assert not scope.holds(sys.modules[name])


def test_modules_without_a_usable_name_are_in_no_scope() -> None:
    nameless = ModuleType("x")
    del vars(nameless)["__name__"]
    assert not scope_of("all", {}).holds(nameless)
    assert not scope_of("project", {}).holds(module("x", "/proj/x.py"))


@pytest.mark.parametrize(
    ("filename", "standard", "installed"),
    [
        (os.__file__, True, True),
        ("<frozen os>", True, True),
        (pytest.__file__, False, True),
        (f"{SITE}/lib.py", False, True),
        ("/usr/lib/python3/dist-packages/lib.py", False, True),
        ("/proj/mine.py", False, False),
        ("/proj/site-packages-of-mine/x.py", False, False),
    ],
)
def test_where_a_file_comes_from(filename: str, standard: bool, installed: bool) -> None:
    assert (is_standard_library(filename), is_installed(filename)) == (standard, installed)
