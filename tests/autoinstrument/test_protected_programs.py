"""Unmodified programs that crash go on: the main module's own loops, what it imports, whatever way it is started."""

from __future__ import annotations

import zipfile

import pytest

from autoinstrument.files import write

SCRIPT = """\
import sys
failed = []
def read(n):
    if n == 2 and not failed:
        failed.append(n)
        raise OSError("read error")
    return n * 10
total = 0
for n in range(4):
    total += read(n)
    print("item", n, total)
print("total", total)
"""

POLICY = """\
import daifu_bc
def again(crash):
    print("asked", crash.function, crash.lineno)
    return daifu_bc.Retry()
"""
RECOVERED = "item 0 0\nitem 1 10\nasked {} {}\nitem 2 30\nitem 3 60\ntotal 60\n"
BY_NAME = {"DAIFU_BC_POLICY": "policy:again"}


MEND = """\
import daifu_bc
def divisor(crash):
    print("asked", crash.function, crash.lineno)
    crash.globals["DIVISOR"] = 2
    return daifu_bc.Retry()
"""


def test_a_loop_of_the_script_goes_on(python, project) -> None:
    write(project, {"train.py": SCRIPT, "policy.py": POLICY})
    ran = python.run("train.py", cwd=project, env=BY_NAME)
    assert (ran.status, ran.stdout) == (0, RECOVERED.format("<module>", 10))


@pytest.mark.parametrize("way", ["-m", "folder", "archive", "command"])
def test_a_loop_of_the_main_module_goes_on_however_it_is_started(python, project, way) -> None:
    write(project, {"policy.py": POLICY, "train.py": SCRIPT, "app/__main__.py": SCRIPT})
    with zipfile.ZipFile(project / "app.zip", "w") as archive:
        archive.writestr("__main__.py", SCRIPT)
    arguments = {"-m": ["-m", "train"], "folder": ["app"], "archive": ["app.zip"], "command": ["-c", SCRIPT]}[way]
    ran = python.run(*arguments, cwd=project, env={**BY_NAME, "PYTHONPATH": str(project)})
    assert (ran.status, ran.stdout) == (0, RECOVERED.format("<module>", 10)), ran.stderr


LIBRARY = """\
DIVISOR = 0
class Reader:
    def __init__(self):
        self.n = 0
    def read(self):
        self.n += 1
        return half(self.n)
def half(n):
    return n / DIVISOR
"""


@pytest.mark.parametrize("archived", [False, True])
def test_a_crash_in_an_imported_module_is_met_where_it_is(python, project, archived) -> None:
    train = "from pkg.reader import Reader\nr = Reader()\nprint(r.read(), r.read())\n"
    write(project, {"mend.py": MEND, "train.py": train})
    files = {"pkg/__init__.py": "", "pkg/reader.py": LIBRARY}
    if archived:
        with zipfile.ZipFile(project / "lib.zip", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        write(project, files)
    env = {"DAIFU_BC_POLICY": "mend:divisor", "PYTHONPATH": "lib.zip"}
    ran = python.run("train.py", cwd=project, env=env)
    assert (ran.status, ran.stdout) == (0, "asked half 9\n0.5 1.0\n"), ran.stderr


def test_a_module_whose_own_code_fails_goes_on(python, project) -> None:
    data = "DIVISOR = 0\nprint('loading')\nsize = 8 // DIVISOR\nprint('loaded', size)\n"
    write(project, {"mend.py": MEND, "data.py": data, "train.py": "import data\nprint('size', data.size)\n"})
    ran = python.run("train.py", cwd=project, env={"DAIFU_BC_POLICY": "mend:divisor"})
    assert (ran.status, ran.stdout) == (0, "loading\nasked <module> 3\nloaded 4\nsize 4\n"), ran.stderr


def test_a_module_that_is_loaded_by_its_path_is_protected(python, project) -> None:
    train = """\
import importlib.util
spec = importlib.util.spec_from_file_location("settings", "settings.py")
settings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(settings)
print(settings.size, type(spec.loader).__name__, settings.__file__)
"""
    settings = "DIVISOR = 0\nsize = 8 // DIVISOR\n"
    write(project, {"mend.py": MEND, "settings.py": settings, "train.py": train})
    ran = python.run("train.py", cwd=project, env={"DAIFU_BC_POLICY": "mend:divisor"})
    assert ran.stdout == f"asked <module> 2\n4 SourceFileLoader {project / 'settings.py'}\n", ran.stderr


def test_without_anybody_to_decide_it_ends_as_it_always_does(python, project) -> None:
    write(project, {"train.py": SCRIPT})
    plain, ours = (python.run("train.py", cwd=project, on=on) for on in (False, True))
    assert ours.seen == plain.seen and ours.status == 1


HANDLES = """\
try:
    import nowhere
except ImportError:
    print("fine")
def f(x):
    raise KeyError(x)
try:
    f(1)
except LookupError:
    print("handled")
"""


def test_what_the_program_handles_is_not_asked_about(python, project) -> None:
    write(project, {"policy.py": POLICY, "train.py": HANDLES})
    assert python.run("train.py", cwd=project, env=BY_NAME).stdout == "fine\nhandled\n"


THREAD = """\
import threading
DIVISOR = 0
def work():
    for n in range(2):
        print(n / DIVISOR)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def test_a_thread_of_the_program_is_protected(python, project) -> None:
    write(project, {"mend.py": MEND, "train.py": THREAD})
    ran = python.run("train.py", cwd=project, env={"DAIFU_BC_POLICY": "mend:divisor"})
    assert (ran.status, ran.stdout) == (0, "asked work 5\n0.0\n0.5\n"), ran.stderr


def test_off_turns_everything_off(python, project) -> None:
    write(project, {"train.py": "import sys\nprint([name for name in sys.modules if 'daifu' in name])\n"})
    for env in ({"DAIFU_BC_OFF": "1"}, {"DAIFU_BC_AUTOINSTRUMENT": "0"}):
        ran = python.run("train.py", cwd=project, env=env)
        assert "'daifu_bc'" not in ran.stdout and not ran.said
