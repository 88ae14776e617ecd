"""The parent's side of random_worker.py: runs programs in a subprocess, and outlives what kills it.

In: a drawn program. Out: its verdicts; a worker that dies or hangs gives one of status "killed" or "stuck",
with the run that it was at. Always true: a dead worker is replaced before the next program, and so is one that
has run many; `close` ends the one that is alive.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from sweep.place import environment
from sweep.random_programs import Drawn
from sweep.verdicts import Verdict

WORKER = str(Path(__file__).with_name("random_worker.py"))
PATIENCE = 30.0
MANY = 1000
ALLOWED = ("exact", "whole", "refused")


def is_fault(verdict: Verdict) -> bool:
    """Whether this verdict is one that no program may have. A refusal gives its reason and loses nothing."""
    return verdict.status not in ALLOWED


class Runner:
    """One worker at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._ran = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def run(self, drawn: Drawn, ends: bool = False) -> list[Verdict]:
        """All verdicts on one program. `ends`: none if its clean run fails by itself."""
        process, last = self._worker(), ""
        assert process.stdin is not None
        request = {"source": drawn.source, "keep": drawn.keep, "seed": drawn.seed, "ends": ends}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                self.close()
                return [Verdict("random", drawn.keep, "-", last, "stuck", f"no answer in {PATIENCE:.0f} s")]
            if line is None:
                code = process.wait()
                self._process = None
                return [Verdict("random", drawn.keep, "-", last, "killed", _death(code))]
            if line.startswith("@"):
                last = line[2:].strip()
            else:
                return [Verdict(**fields) for fields in json.loads(line)]

    def _worker(self) -> subprocess.Popen[str]:
        self._ran += 1
        if self._ran % MANY == 0:
            self.close()
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                [sys.executable, WORKER],
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
