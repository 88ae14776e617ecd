"""The parent's side of worker.py: sweeps programs in a subprocess, and outlives what kills it.

In: program names. Out: verdicts; a worker that dies or hangs gives one of status "killed" or "stuck", with
the run that it was at. Always true: a dead worker is replaced before the next program; `close` ends the one
that is alive.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from sweep.checks import KEEPS, MODES
from sweep.place import environment
from sweep.verdicts import Verdict

WORKER = str(Path(__file__).with_name("worker.py"))
PATIENCE = 60.0


class Pool:
    """One worker at a time. `isolate`: a new one for each program."""

    def __init__(self, isolate: bool = False, patience: float = PATIENCE) -> None:
        self.isolate, self.patience = isolate, patience
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def sweep(
        self, program: str, keeps: Sequence[str] = KEEPS, modes: Sequence[str] = MODES
    ) -> list[Verdict]:
        """All verdicts on one program, by (keep, mode) so that a death costs no more than one of these."""
        verdicts = self._ask(program, keeps, modes)
        if verdicts[-1].status in ("killed", "stuck") and (len(keeps) > 1 or len(modes) > 1):
            verdicts = [
                verdict for keep in keeps for mode in modes for verdict in self._ask(program, [keep], [mode])
            ]
        if self.isolate:
            self.close()
        return verdicts

    def _ask(self, program: str, keeps: Sequence[str], modes: Sequence[str]) -> list[Verdict]:
        process = self._worker()
        assert process.stdin is not None
        process.stdin.write(json.dumps({"program": program, "keeps": keeps, "modes": modes}) + "\n")
        process.stdin.flush()
        last = ""
        while True:
            try:
                line = self._lines.get(timeout=self.patience)
            except queue.Empty:
                self.close()
                return [_lost(program, keeps, modes, "stuck", last, f"no answer in {self.patience:.0f} s")]
            if line is None:
                code = process.wait()
                self._process = None
                return [_lost(program, keeps, modes, "killed", last, _death(code))]
            if line.startswith("@"):
                last = line[2:].strip()
            else:
                return [Verdict(**fields) for fields in json.loads(line)]

    def _worker(self) -> subprocess.Popen[str]:
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


def _lost(
    program: str, keeps: Sequence[str], modes: Sequence[str], status: str, last: str, detail: str
) -> Verdict:
    one = len(keeps) == len(modes) == 1
    return Verdict(program, keeps[0] if one else "-", modes[0] if one else "-", last, status, detail)
