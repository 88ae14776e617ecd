"""The parent's side of a worker: asks a subprocess, and outlives what kills it.

In: requests, as JSON lines. Out: verdicts, or how the worker was lost and at which run. Always true: a worker that is
lost is replaced at the next request, and so is one that has answered many; `close` ends the one that is alive.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sweep.place import environment
from sweep.verdicts import Verdict

MANY = 1000


@dataclass(frozen=True)
class Lost:
    """A worker that died or hangs."""

    status: str  # "killed" or "stuck"
    last: str  # the run that it was at
    detail: str


class Asking:
    """One worker at a time. `script`: beside this file; `patience`: in seconds, for each line."""

    def __init__(self, script: str, patience: float) -> None:
        self.script, self.patience = str(Path(__file__).with_name(script)), patience
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._asked = 0

    def close(self) -> None:
        """End the worker."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def ask(self, request: dict[str, Any]) -> list[Verdict] | Lost:
        """What the worker answers."""
        process, last = self._worker(), ""
        assert process.stdin is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        while True:
            try:
                line = self._lines.get(timeout=self.patience)
            except queue.Empty:
                self.close()
                return Lost("stuck", last, f"no answer in {self.patience:.0f} s")
            if line is None:
                code = process.wait()
                self._process = None
                return Lost("killed", last, _death(code))
            if line.startswith("@"):
                last = line[2:].strip()
            else:
                return [Verdict(**fields) for fields in json.loads(line)]

    def _worker(self) -> subprocess.Popen[str]:
        self._asked += 1
        if self._asked % MANY == 0:
            self.close()
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                [sys.executable, self.script],
                env=environment(),
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._lines = queue.Queue()
            assert self._process.stdout is not None
            threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        return self._process


def _read(pipe: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in pipe:
        lines.put(line)
    lines.put(None)


def _death(code: int) -> str:
    return f"killed by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit status {code}"
