"""Protected modules are kept beside the `.pyc` files; nothing that is wrong with a kept one ever matters."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from autoinstrument.files import write

LIB = """\
DIVISOR = {divisor}
def half(n):
    return n / DIVISOR
"""
WRITES = {"PYTHONDONTWRITEBYTECODE": ""}


def kept(project) -> list[str]:
    """The names of the files of ours that are kept."""
    folder = project / "__pycache__"
    return sorted(name for name in os.listdir(folder) if "daifu_bc" in name) if folder.exists() else []


@pytest.fixture
def program(project):
    """A script that imports a module."""
    write(project, {"train.py": "import lib\nprint(lib.half(4))\n", "lib.py": LIB.format(divisor=2)})
    return project


def run(python, program, **env: str) -> str:
    ran = python.run("train.py", cwd=program, env={**WRITES, **env})
    assert ran.status == 0 and ran.stderr == "", ran.stderr
    return ran.stdout


def test_protected_code_is_kept_under_a_name_of_its_own(python, program) -> None:
    run(python, program)
    tag = sys.implementation.cache_tag
    assert kept(program) == [f"{name}.{tag}.daifu_bc-whole.pyc" for name in ("lib", "train")]
    assert run(python, program) == "2.0\n"


def test_what_is_kept_is_used(python, program) -> None:
    """The kept file of another source of the same time and size is believed, as Python believes a `.pyc`."""
    run(python, program)
    before = os.stat(program / "lib.py")
    write(program, {"lib.py": LIB.format(divisor=4)})
    os.utime(program / "lib.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(python, program) == "2.0\n"


def test_a_source_that_changed_is_protected_anew(python, program) -> None:
    run(python, program)
    write(program, {"lib.py": LIB.format(divisor=4) + "# longer: Python itself believes two versions of one second\n"})
    assert run(python, program) == "1.0\n"
    assert run(python, program) == "1.0\n"


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "a folder"])
def test_a_file_that_is_damaged_is_protected_anew(python, program, damage) -> None:
    run(python, program)
    path = program / "__pycache__" / kept(program)[0]
    data = path.read_bytes()
    if damage == "a folder":
        path.unlink()
        path.mkdir()
    else:
        middle = len(data) // 2
        changed = data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]
        path.write_bytes({"cut": data[:middle], "changed": changed, "empty": b""}[damage])
    assert run(python, program) == "2.0\n"
    if damage != "a folder":
        assert path.read_bytes() != b"" and run(python, program) == "2.0\n"


def test_crashes_in_kept_code_go_on(python, program) -> None:
    policy = "import daifu_bc\ndef again(crash):\n    crash.globals['DIVISOR'] = 8\n    return daifu_bc.Retry()\n"
    write(program, {"lib.py": LIB.format(divisor=0), "mend.py": policy})
    for _ in range(2):
        assert run(python, program, DAIFU_BC_POLICY="mend:again") == "0.5\n"


def test_a_folder_that_cannot_be_written_to_is_no_error(python, program) -> None:
    (program / "__pycache__").write_text("a file where the folder would be")
    assert run(python, program) == "2.0\n"
    assert run(python, program, PYTHONPYCACHEPREFIX="/proc/nowhere") == "2.0\n"


def test_nothing_is_written_where_python_writes_nothing(python, program) -> None:
    assert run(python, program, PYTHONDONTWRITEBYTECODE="1") == "2.0\n"
    assert not kept(program)


def test_each_selection_has_files_of_its_own(python, program) -> None:
    names = []
    for scope in ("project", "lib:half", "lib:other"):
        assert python.run("train.py", cwd=program, on=scope, env=WRITES).stdout == "2.0\n"
        names.append(len(kept(program)))
    assert names == [2, 3, 4]


def test_many_processes_may_start_at_once(python, program) -> None:
    def start(_: int) -> str:
        return run(python, program)

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(start, range(6))) == {"2.0\n"}
    assert len(kept(program)) == 2  # no temporary file is left


def test_what_another_tool_makes_of_a_module_is_not_kept(python, program) -> None:
    hook = """\
import importlib.machinery, sys
class Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, *more, **named):
        return super().source_to_code(data.replace(b"n / DIVISOR", b"'rewritten'"), *more, **named)
    def get_data(self, path):
        if path.endswith(".pyc"): raise OSError
        return super().get_data(path)
    def set_data(self, *args, **more): ...
finder = importlib.machinery.FileFinder.path_hook((Loader, [".py"]))
sys.path_hooks.insert(0, finder)
sys.path_importer_cache.clear()
"""
    write(program, {"hook.py": hook, "rewriting.py": "import hook, lib\nprint(lib.half(4))\n"})
    for name in ("rewriting.py", "train.py", "rewriting.py"):
        expected = "rewritten\n" if name == "rewriting.py" else "2.0\n"
        assert python.run(name, cwd=program, env=WRITES).stdout == expected
