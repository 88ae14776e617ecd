"""A program sees no difference: names, arguments, paths, exit status, tracebacks, whatever way it is started."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path

import pytest

STATE = """\
import atexit, sys
def shown(value):
    return type(value).__name__ if type(value).__repr__ in (object.__repr__, type(lambda: 0).__repr__) else repr(value)
def main():
    for name, value in sorted(globals().items()):
        print(name, shown(value))
    print(sys.argv, sys.path[0], len(sys.path), sys.flags.safe_path)
    main = sys.modules["__main__"]
    print(vars(main) is globals(), main.__name__, sys.path_hooks[0].__name__, sys.excepthook is sys.__excepthook__)
    print(sorted(name for name in sys.path_importer_cache if name == main.__dict__.get("__file__")))
atexit.register(print, "at exit")
if __name__ == "__main__":
    main()
"""

ENDS = {
    "exit status": "import sys; sys.exit(3)",
    "exit with a text": "import sys; sys.exit('no data')",
    "exit in a function": "def f():\n    raise SystemExit(4)\nf()",
    "raises": "def f(x):\n    return x / 0\nfor x in range(3):\n    print(x)\n    f(x)",
    "raises at the top": "values = [1, 2]\nvalues[7]",
    "raises from": "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('two') from e",
    "raises while handling": "try:\n    {}['k']\nexcept KeyError:\n    1 / 0",
    "group": "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])",
    "note": "e = ValueError('x')\ne.add_note('a note')\nraise e",
    "syntax error": "x = = 1",
    "syntax error in an import": "import broken",
    "import error": "import nothing_of_this_name",
    "error in an import": "import failing",
    "error deep in an import": "import outer",
    "recursion": "def f():\n    f()\ntry:\n    f()\nexcept RecursionError as e:\n    print(type(e))",
    "hook": "import sys\nsys.excepthook = lambda t, v, tb: print('hook', t.__name__, tb.tb_lineno, tb.tb_next)\n1 / 0",
    "atexit": "import atexit\natexit.register(print, 'at exit')\nprint('body')\nraise KeyError('k')",
    "thread": "import threading\nt = threading.Thread(target=lambda: [][0], name='T')\nt.start()\nt.join()\n",
    "warning": "import warnings\nwarnings.warn('careful')\nprint('on')",
    "generator": "def g():\n    yield 1\n    raise OSError('gone')\nprint(next(it := g()))\nnext(it)",
    "with": "from contextlib import suppress\nwith suppress(KeyError):\n    {}[1]\nprint('on')",
    "handled": "try:\n    import nothing_of_this_name as n\nexcept ImportError:\n    n = None\nprint(n)",
    "finally": "try:\n    1 / 0\nfinally:\n    print('cleaned')",
    "interrupted": "raise KeyboardInterrupt",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "_exit": "import os\nprint('flushed', flush=True)\nos._exit(9)",
    "stdout closed": "import sys\nsys.stdout.close()\nraise ValueError('x')",
    "async": "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1 / 0\nasyncio.run(f())",
    "docstring": '"""A docstring."""\nprint(__doc__)',
    "future": "from __future__ import annotations\ndef f(x: nothing): ...\nprint(f.__annotations__)",
    "annotations": "x: int = 1\nprint(__annotations__)",
    "inspect": "import inspect\ndef f():\n    return 1  # a comment\nprint(inspect.getsource(f))",
    "last": "import atexit, sys\natexit.register(lambda: print(sys.last_exc, sys.last_traceback.tb_lineno))\n1 / 0",
}  # fmt: skip

MODULES = {
    "broken.py": "def f(:\n",
    "failing.py": "import json\nvalue = json.loads('[')\n",
    "outer.py": "def load():\n    import failing\nload()\n",
}


def same(text: str) -> str:
    """What differs from run to run is taken out."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)


@pytest.fixture
def compare(python, project):
    """Runs a command line without and with protection: the user sees the same."""

    def compare(*arguments, cwd=project, **more):
        plain = python.run(*arguments, cwd=cwd, on=False, **more)
        ours = python.run(*arguments, cwd=cwd, **more)
        assert [same(str(part)) for part in ours.seen] == [same(str(part)) for part in plain.seen]
        assert not plain.said and len(ours.said) == 1, ours.said
        return ours

    return compare


@pytest.fixture
def program(project: Path) -> Path:
    """A script, its package and its archive, in a project."""
    (project / "state.py").write_text(STATE)
    (project / "pkg").mkdir()
    (project / "pkg" / "__init__.py").write_text("")
    for name in ("__main__.py", "state.py"):
        (project / "pkg" / name).write_text(STATE)
    with zipfile.ZipFile(project / "program.zip", "w") as archive:
        archive.writestr("__main__.py", STATE)
    return project


@pytest.mark.parametrize(
    "arguments",
    [
        ("state.py",),
        ("state.py", "--lr", "0.1"),
        ("./pkg/state.py",),
        ("-m", "state", "one"),
        ("-m", "pkg.state"),
        ("-m", "pkg", "x"),
        ("pkg",),
        ("program.zip", "y"),
        ("-P", "state.py"),
        ("-Wd", "-u", "state.py"),
        ("-OO", "state.py"),
        ("-X", "dev", "state.py"),
    ],
    ids=" ".join,
)
def test_the_main_module_is_what_it_always_is(compare, program, arguments) -> None:
    assert "at exit" in compare(*arguments).stdout


def test_a_command_is_what_it_always_is(compare, program) -> None:
    assert "at exit" in compare("-c", STATE, "an argument").stdout


def test_a_script_from_another_folder_or_behind_a_link_is_what_it_always_is(compare, program, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.py").symlink_to(program / "state.py")
    compare(program / "state.py", cwd=tmp_path)
    compare("link.py", cwd=tmp_path / "elsewhere")


def test_a_script_that_is_not_there_is_the_same_error(compare) -> None:
    assert compare("nowhere.py").status == 2
    assert compare("-m", "nowhere").status == 1


def test_a_first_line_that_python_is_to_skip_is_skipped(compare, project) -> None:
    (project / "batch.py").write_text("1 / 0\nprint('on')\n")
    assert compare("-x", "batch.py").stdout == "on\n"


def test_a_script_on_stdin_runs(compare) -> None:
    assert compare("-", stdin="print(1 + 1)\n").stdout == "2\n"


def ways(text: str) -> dict[str, list[str]]:
    """The ways to start a program of which Python sees something else each time."""
    return {"script": ["ends.py"], "module": ["-m", "ends"], "command": ["-c", text]}


OFTEN = ("exit status", "raises", "raises while handling", "syntax error", "error in an import", "thread", "last")


@pytest.mark.parametrize(
    ("name", "way"),
    [(name, way) for name in ENDS for way in ways("") if way == "script" or name in OFTEN],
)
def test_every_end_is_the_same(compare, project, name, way) -> None:
    for module, text in MODULES.items():
        (project / module).write_text(text)
    (project / "ends.py").write_text(ENDS[name])
    compare(*ways(ENDS[name])[way])


def test_ctrl_c_ends_a_script_by_the_signal(python, project) -> None:
    (project / "ends.py").write_text(ENDS["interrupted"])
    assert python.run("ends.py", cwd=project).status == -2


PICKLES = """\
import pickle, subprocess, sys
class Thing:
    def __init__(self, value): self.value = value
def double(x): return 2 * x
if __name__ == "__main__":
    data = pickle.dumps((Thing(3), double))
    thing, function = pickle.loads(data)
    print(type(thing) is Thing, function is double, Thing.__module__, Thing.__qualname__)
    print(b"__main__" in data)
"""


def test_things_defined_in_the_script_are_pickled(compare, project) -> None:
    (project / "things.py").write_text(PICKLES)
    assert compare("things.py").stdout == "True True __main__ Thing\nTrue\n"
    compare("-m", "things")


def test_the_source_may_have_a_coding_cookie_or_a_mark(compare, project) -> None:
    latin = "# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n1 / 0 # \xe9\n"
    (project / "latin.py").write_bytes(latin.encode("latin-1"))
    (project / "marked.py").write_bytes(b"\xef\xbb\xbfprint(1)\r\nprint(2)\r\n")
    compare("latin.py")
    compare("marked.py")


def test_nothing_is_left_behind(compare, project) -> None:
    (project / "train.py").write_text("import helper\n")
    (project / "helper.py").write_text("print(1)\n")
    compare("train.py", env={"PYTHONDONTWRITEBYTECODE": ""})
    compare("train.py", env={"PYTHONDONTWRITEBYTECODE": ""})
    plain = [name for name in os.listdir(project / "__pycache__") if "daifu" not in name]
    assert plain == [f"helper.{sys.implementation.cache_tag}.pyc"]
    assert b"daifu_bc" not in (project / "__pycache__" / plain[0]).read_bytes()
