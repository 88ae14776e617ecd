"""What was recovered in a run, in whichever of its processes.

In: a folder that all of them can write to. Out: the restarts by the time of their crashes, with figures. Always true:
a forked process (a loader's worker, a rank) puts down what it recovered when it ends.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path


@dataclass(slots=True)
class Record:
    """Of one run; it goes along into the processes that the run forks."""

    folder: Path
    process: int = field(default_factory=os.getpid)  # whose record this is
    first: float = 0.0  # of time.perf_counter(), when its first crash was asked about

    def asked(self) -> None:
        """A crash was met, here."""
        if self.process != os.getpid():
            self.process, self.first = os.getpid(), 0.0
            Finalize(None, self.put_down, exitpriority=1)
        self.first = self.first or time.perf_counter()

    def put_down(self) -> None:
        """In a file of this process."""
        import daifu_bc

        own = [one for one in daifu_bc.recoveries() if one.process == os.getpid()]
        rows = [(one.time, _without_value(one.restart), one.seconds_restoring) for one in own]
        (self.folder / f"{os.getpid()}.json").write_text(json.dumps({"first": self.first, "rows": rows}))

    def all(self) -> tuple[list[str], float, float]:
        """Restarts in order, time of the first crash (0: none), milliseconds of the slowest."""
        self.put_down()
        parts = [json.loads(file.read_text()) for file in self.folder.glob("*.json")]
        rows = sorted(tuple(row) for part in parts for row in part["rows"])
        first = min((part["first"] for part in parts if part["first"]), default=0.0)
        return [row[1] for row in rows], first, max((row[2] * 1e3 for row in rows), default=0.0)


def _without_value(restart: str) -> str:
    """`use` and `return` of values that differ from run to run."""
    return re.sub(r"\b(use|return) .*", r"\1", restart, flags=re.DOTALL)
