"""The console opens at a crash for want of file descriptors or memory, and what is freed there lets the run go on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("pty")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "console"))

from on_terminal import OnTerminal  # noqa: E402  (the path comes first)

FILES = """
import os, resource, daifu_bc
def program(held):
    for _ in range(100):
        held.append(os.open(os.devnull, os.O_RDONLY))
    return "all open"
daifu_bc.protect(program, scope="nested")
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 200))
print("RESULT", program([]))
"""
MEMORY = """
import resource, daifu_bc
def program(held):
    for number in range(40):
        held.append(bytearray(64 << 20))
    return number
daifu_bc.protect(program, scope="nested")
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, resource.RLIM_INFINITY))
print("RESULT", program([]))
"""
MORE = {
    "files": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))",
    "memory": "import resource; resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
}


@pytest.mark.parametrize(
    ("script", "said", "mend", "result"),
    [
        (FILES, "Too many open files", MORE["files"], "RESULT all open"),
        (MEMORY, "MemoryError", MORE["memory"], "RESULT 39"),
    ],
    ids=["file descriptors", "memory"],
)
def test_the_console_opens_and_the_run_goes_on(script, said, mend, result):
    with OnTerminal(script) as program:
        program.wait_for("(daifu) ")
        assert said in program.text
        program.say(mend)
        program.say("retry", result)
        assert program.ended() == 0
