"""Random programs shared out to processes: batches, as many at once as there are processors.

In: how many programs, the first batch's number, options of random_batch.py. Out: a Tally for each batch.
Always true: what batches are is independent of how many run at once; a batch that ends badly is an error
that shows what it said.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from sweep.place import environment
from sweep.random_batch import Tally, parse

BATCH = str(Path(__file__).with_name("random_batch.py"))
SIZE = 250
OF_A_SEED = 10_000  # batches: two seeds have none in common


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sizes(examples: int, size: int = SIZE) -> list[int]:
    """How many programs each batch has."""
    return [min(size, examples - first) for first in range(0, examples, size)]


class Batches:
    """Batches that run; `results` in their order."""

    def __init__(self, examples: int, first: int = 0, options: Sequence[str] = (), jobs: int = 0) -> None:
        environment()  # says at once if daifu_bc is not there
        self._threads = ThreadPoolExecutor(jobs or processors())
        self.results: list[Future[Tally]] = [
            self._threads.submit(_run, size, first * OF_A_SEED + number, options)
            for number, size in enumerate(sizes(examples))
        ]

    def close(self) -> None:
        """Start no more batches."""
        self._threads.shutdown(wait=True, cancel_futures=True)


def _run(size: int, number: int, options: Sequence[str]) -> Tally:
    done = subprocess.run(
        [sys.executable, BATCH, f"--examples={size}", f"--number={number}", *options],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"batch {number} ended with status {done.returncode}\n{done.stderr[-3000:]}")
    return parse(done.stdout)
