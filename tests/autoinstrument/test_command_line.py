"""`daifu-bc run`, `python -m daifu_bc`, `daifu-bc doctor`: as plain Python, with what was asked for."""

from __future__ import annotations

import json
import re
import zipfile

import pytest

from autoinstrument.files import write
from autoinstrument.test_protected_programs import MEND, POLICY, RECOVERED, SCRIPT

ENDS = {
    "state": "import sys\nprint(sys.argv, sys.path[0], __file__, __name__, sorted(globals()))\nsys.exit(5)",
    "raises": "def f(x):\n    return x / 0\nf(1)",
    "interrupted": "raise KeyboardInterrupt",
    "syntax error": "x = = 1",
    "hook": "import sys\nsys.excepthook = lambda t, v, tb: print('hook', t.__name__, tb.tb_lineno, tb.tb_frame)\n1 / 0",
    "pickle": "import pickle\nclass A: ...\nprint(type(pickle.loads(pickle.dumps(A()))) is A, A.__module__)",
    "atexit": "import atexit\natexit.register(print, 'at exit')\nraise SystemExit('no data')",
}


@pytest.mark.parametrize("way", ["script", "module"])
@pytest.mark.parametrize("name", ENDS)
def test_a_program_that_is_run_sees_no_difference(python, project, name, way) -> None:
    write(project, {"ends.py": ENDS[name]})
    arguments = {"script": ["ends.py", "-v", "x"], "module": ["-m", "ends", "-v", "x"]}[way]
    plain = python.run(*arguments, cwd=project, on=False)
    ours = python.run("-m", "daifu_bc", *arguments, cwd=project, on=False)
    assert same(ours.seen) == same(plain.seen) and len(ours.said) == 1


def same(seen) -> str:
    """What differs from run to run is taken out."""
    return re.sub(r"0x[0-9a-f]+", "0x", str(seen))


def test_folders_and_archives_are_run(python, project) -> None:
    text = "import sys\nprint(sys.argv, sys.path[0], __spec__.name)\n"
    write(project, {"app/__main__.py": text})
    with zipfile.ZipFile(project / "app.zip", "w") as archive:
        archive.writestr("__main__.py", text)
    for name in ("app", "app.zip"):
        plain = python.run(name, "x", cwd=project, on=False)
        assert python.run("-m", "daifu_bc", name, "x", cwd=project, on=False).seen == plain.seen


def test_a_program_that_is_not_there_is_the_same_error(python, project) -> None:
    for arguments in (["nowhere.py"], ["-m", "nowhere"]):
        plain = python.run(*arguments, cwd=project, on=False)
        assert python.run("-m", "daifu_bc", *arguments, cwd=project, on=False).seen == plain.seen


def test_the_command_line_beats_the_environment_and_speaks_to_children(python, project) -> None:
    child = "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, 'train.py']))\n"
    write(project, {"mend.py": POLICY, "train.py": SCRIPT, "start.py": child})
    env = {"DAIFU_BC_POLICY": "nowhere:nothing"}
    ran = python.run("-m", "daifu_bc", "run", "--policy", "mend:again", "start.py", cwd=project, on=False, env=env)
    assert (ran.status, ran.stdout) == (0, RECOVERED.format("<module>", 10)), ran.stderr
    assert len(ran.said) == 2


def test_a_policy_that_is_no_name_is_an_error_at_once(python, project) -> None:
    write(project, {"train.py": SCRIPT})
    ran = python.run("-m", "daifu_bc", "--policy", "mend", "train.py", cwd=project, on=False)
    assert ran.status == 1 and "MODULE:FUNCTION" in ran.stderr and not ran.stdout


def test_the_file_says_what_nobody_else_does(python, project) -> None:
    write(project, {"mend.py": MEND, "train.py": "DIVISOR = 0\nprint(1 / DIVISOR)\n"})
    (project / "pyproject.toml").write_text('[tool.daifu_bc]\npolicy = "mend:divisor"\n')
    assert python.run("-m", "daifu_bc", "train.py", cwd=project, on=False).stdout == "asked <module> 2\n0.5\n"


def test_a_policy_of_the_script_is_found_in_the_script(python, project) -> None:
    write(project, {"train.py": MEND + "DIVISOR = 0\nprint(1 / DIVISOR)\n"})
    ran = python.run("train.py", cwd=project, env={"DAIFU_BC_POLICY": "__main__:divisor"})
    assert ran.stdout == "asked <module> 7\n0.5\n", ran.stderr


def test_a_policy_that_cannot_be_found_is_a_note_on_the_exception(python, project) -> None:
    write(project, {"train.py": SCRIPT})
    ran = python.run("train.py", cwd=project, env={"DAIFU_BC_POLICY": "nowhere:nothing"})
    assert ran.status == 1 and "No module named 'nowhere'" in ran.stderr


def test_a_program_can_say_at_its_end_what_was_protected(python, project) -> None:
    write(project, {"mend.py": POLICY, "train.py": SCRIPT})
    ran = python.run("-m", "daifu_bc", "-v", "--policy", "mend:again", "train.py", cwd=project, on=False)
    assert ran.said[-1] == "daifu_bc: protected 2 modules, recovered 1 times, skipped 0 functions"


def test_off_runs_the_program_alone(python, project) -> None:
    write(project, {"train.py": SCRIPT})
    plain = python.run("train.py", cwd=project, on=False)
    ours = python.run("-m", "daifu_bc", "train.py", cwd=project, on=False, env={"DAIFU_BC_OFF": "1"})
    assert ours.seen == plain.seen and not ours.said


def test_the_doctor_says_what_is_here_and_what_is_skipped(python, project) -> None:
    write(project, {"train.py": SCRIPT, "broken.py": "x = = 1\n", "venv/lib.py": SCRIPT})
    ran = python.run("-m", "daifu_bc", "doctor", "--json", cwd=project, on=False)
    found = json.loads(ran.stdout)
    assert ran.status == 0 and not found["problems"] and found["start_up"]["installed"]
    assert (found["root"], found["files"], found["protected"]) == (str(project), 1, 2)
    assert [re.sub(".*/", "", one["file"]) for one in found["unreadable"]] == ["broken.py"]
    text = python.run("-m", "daifu_bc", "doctor", cwd=project, on=False).stdout
    assert "2 code objects in 1 files" in text and "broken.py" in text
