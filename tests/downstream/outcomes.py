"""Runs suites in processes of their own, plain or protected, and compares what became of each test.

In: what to run. Out: `Outcomes` of one run; `Difference`s between two. Always true: a process that dies or hangs is
an outcome of the test that it was at ("killed", "stuck"), and never of the program that asks.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

WORKER = str(Path(__file__).with_name("worker.py"))


@dataclass(frozen=True, slots=True)
class Suite:
    """What to run: `arguments` for the runner (names of modules, or of pytest)."""

    name: str
    runner: str
    arguments: tuple[str, ...]
    folder: str | None = None  # to run in; None: a fresh one


@dataclass(slots=True)
class Outcomes:
    """What became of each test of one run."""

    tests: dict[str, tuple[str, str]] = field(default_factory=dict)  # id -> outcome, detail
    left_alone: list[str] = field(default_factory=list)  # code objects that were not protected, and why
    seconds: float = 0.0
    output: str = ""

    def count(self, *outcomes: str) -> int:
        return sum(outcome in outcomes for outcome, _ in self.tests.values())


@dataclass(frozen=True, slots=True)
class Difference:
    """A test with another outcome than in the plain run."""

    suite: str
    test: str
    plain: str
    other: str
    detail: str

    def __str__(self) -> str:
        return f"{self.test}: {self.plain} -> {self.other}: {self.detail}"


class Server:
    """A process that runs suites in one mode, one after the other (worker.py)."""

    def __init__(self, mode: str, path: Sequence[str] = (), python: str = sys.executable) -> None:
        self.mode = mode
        self._command = [python, WORKER, *(f"--path={one}" for one in (*path, *own_path())), "--", mode]
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def run(self, suite: Suite, patience: float) -> Outcomes:
        """One run. `patience`: in seconds, for all of it."""
        with tempfile.TemporaryDirectory() as made, self._lock:
            folder = Path(made) / "work"
            folder.mkdir()
            outcomes, output = Path(made) / "outcomes", Path(made) / "output"
            request = {"runner": suite.runner, "arguments": suite.arguments, "patience": patience}
            request |= {"folder": suite.folder or str(folder), "outcomes": str(outcomes), "output": str(output)}
            status, seconds = self._ask(request)
            found = read(outcomes, status)
            found.seconds = seconds
            found.output = output.read_text(errors="replace")[-20_000:] if output.exists() else ""
            return found

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _ask(self, request: dict[str, object]) -> tuple[int | None, float]:
        process = self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return answer["status"], answer["seconds"]

    def _start(self) -> subprocess.Popen[str]:
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, text=True, env=environment(), start_new_session=True
            )
        return self._process


def servers(modes: Sequence[str], path: Sequence[str] = (), python: str = sys.executable) -> dict[str, Server]:
    """One for each mode."""
    return {mode: Server(mode, path, python) for mode in modes}


def own_path() -> list[str]:
    """Where daifu_bc is imported from, for processes that run elsewhere."""
    import daifu_bc

    return [str(Path(daifu_bc.__file__).resolve().parent.parent)]


def environment() -> dict[str, str]:
    """The same for all runs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DAIFU_BC"))}
    return kept | {"PYTHONHASHSEED": "0", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1", "DAIFU_BC_WAIT": "0"}


def read(file: Path, status: int | None) -> Outcomes:
    """The lines that a worker wrote; `status` is its exit status, None if it was ended."""
    found, running, done = Outcomes(), "(the whole)", False
    lines = file.read_text(encoding="utf-8", errors="surrogatepass").splitlines() if file.exists() else []
    for line in lines:
        match json.loads(line):
            case ["start", name]:
                running = name
            case ["end", name, outcome, detail]:
                found.tests[name] = (outcome, detail)
            case ["left alone", *reasons]:
                found.left_alone = reasons
            case ["done"]:
                done = True
    if not done:
        word = "stuck" if status is None else "killed"
        found.tests[running] = (word, _death(status))
    return found


def _death(status: int | None) -> str:
    if status is None:
        return "no end within the time given"
    return f"signal {-status} ({signal.Signals(-status).name})" if status < 0 else f"exit status {status}"


def compare(suite: Suite, plain: Outcomes, other: Outcomes) -> list[Difference]:
    """What is not the same."""
    found = []
    for test in {**plain.tests, **other.tests}:
        one = plain.tests.get(test, ("absent", ""))
        two = other.tests.get(test, ("absent", ""))
        if one[0] != two[0] or _kind(one) != _kind(two):
            found.append(Difference(suite.name, test, one[0], two[0], two[1] or one[1]))
    return found


def _kind(outcome: tuple[str, str]) -> str:
    """The type of the exception, the reason of a skip without what differs from run to run."""
    word, detail = outcome
    first = detail.partition("\n")[0]
    if word in ("failed", "error"):
        return first.partition(":")[0]
    return re.sub(r"0x[0-9a-f]+|\d+", "#", first) if word == "skipped" else ""
