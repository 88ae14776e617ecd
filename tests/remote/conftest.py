"""Programs that crash without a terminal, and terminals that attach to them."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEADLINE = 60.0  # seconds until something that does not come is a failure
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")

TRAIN = """
import daifu_bc
def step(batch, scale):
    return sum(batch) * scale
@daifu_bc.protect
def train(batches):
    total = 0
    for batch in batches:
        total += step(batch, scale=2)
    return total
"""
RUN = TRAIN + """
import sys, threading
sys.stdout.write(f"RESULT {train([[1, 2], [3, '4'], [5, 6]])}\\nTHREADS {threading.active_count()}\\n")
"""


class Terminal:
    """A command on a pseudo-terminal, with somebody typing."""

    def __init__(self, command, environment):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, preexec_fn=lambda: os.login_tty(slave), env={"TERM": "xterm", **environment}, pass_fds=(slave,)
        )
        os.close(slave)
        self.raw, self._read_to = "", 0

    @property
    def text(self):
        return _COLOURS.sub("", self.raw).replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def interrupt(self, then):
        """Press Ctrl-C until it is seen: readline misses one that comes just before it waits for a key."""
        for _ in range(int(DEADLINE)):
            self.type("\x03")
            try:
                return self.wait_for(then, 1.0)
            except AssertionError:
                continue
        return self.wait_for(then)

    def wait_for(self, words, seconds=DEADLINE):
        """Read until `words` come, after those waited for last; returns what came up to them."""
        end = time.monotonic() + seconds
        while words not in self.text[self._read_to :]:
            assert self._read_some(end), f"{words!r} did not come:\n{self.text}"
        start = self._read_to
        self._read_to = self.text.index(words, start) + len(words)
        return self.text[start : self._read_to]

    def say(self, line, then="(daifu) "):
        self.type(line + "\n")
        return self.wait_for(then)

    def ended(self):
        end = time.monotonic() + DEADLINE
        while self._read_some(end):
            pass
        return self.process.wait(DEADLINE)

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def _read_some(self, end):
        if not select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux says so when the last program on the terminal has ended
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)


class Program:
    """A program without a terminal."""

    def __init__(self, text, environment):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-c", text], env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
        )
        self.pid = self.process.pid
        self.said = ""

    def wait_until_it_waits(self):
        """The line that says so."""
        for line in self.process.stderr:
            self.said += line
            if "daifu-bc attach" in line or "nobody can attach" in line:
                return line
        raise AssertionError(f"it does not wait:\n{self.said}{self.process.stdout.read()}")

    def ended(self):
        """Its exit status, what it printed, and what it said on stderr."""
        err, out = self.process.stderr.read(), self.process.stdout.read()  # (of a few lines: no pipe fills up)
        return self.process.wait(DEADLINE), out, self.said + err


class Place:
    """A runtime folder of its own, and what runs with it."""

    run_text = RUN

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DAIFU_BC", "PYTEST", "CI"))}
        self.environment = {
            **kept, "PYTHONPATH": str(ROOT), "DAIFU_BC_RUNTIME_DIR": str(folder / "run"), "DAIFU_BC_WAIT": "50",
            "XDG_STATE_HOME": str(folder / "state"), "DAIFU_BC_NAME": "train.py",
        }  # fmt: skip

    @property
    def runtime(self):
        return self.folder / "run"

    def start(self, text=RUN, **environment):
        """A program that runs until it ends."""
        self.started.append(Program(text, {**self.environment, **environment}))
        return self.started[-1]

    def crash(self, text=RUN, **environment):
        """A program that waits."""
        program = self.start(text, **environment)
        program.wait_until_it_waits()
        return program

    def command(self, *arguments, **more):
        """Run `daifu-bc ...`; what it has printed."""
        return subprocess.run(
            [sys.executable, "-m", "daifu_bc", *map(str, arguments)], env=self.environment, capture_output=True,
            text=True, timeout=DEADLINE, check=False, **more,
        )  # fmt: skip

    def attach(self, *arguments):
        """`daifu-bc attach` on a terminal."""
        command = [sys.executable, "-m", "daifu_bc", "attach", *map(str, arguments)]
        self.started.append(Terminal(command, self.environment))
        return self.started[-1]

    def ps(self):
        return [json.loads(line) for line in self.command("ps", "--json").stdout.splitlines()]


@pytest.fixture
def place(tmp_path):
    """Somewhere to crash and to attach."""
    found = Place(tmp_path)
    yield found
    for started in found.started:
        if isinstance(started, Terminal):
            started.kill()
        else:
            started.process.kill()
            started.process.communicate()


