"""Many recoveries in one loop, generator, coroutine, nested call and in eight threads at once: what they leave behind.

In: the command line (--times). Out: a table, one row per shape: memory, stack, objects that are still alive, and
the time of a recovery at the end of the run against that at its beginning; exit status 1 if anything grows.
Run as `python tests/load/recoveries.py`. Always true: what is compared are two points of one run, both after the
record of recoveries has been filled (it holds a bounded number of lines of text).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
import statistics
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.place import package  # noqa: E402  (the path comes first)

package()  # one clear error if daifu_bc is not there

import daifu_bc  # noqa: E402
from daifu_bc import Retry  # noqa: E402
from daifu_bc.restarts import log  # noqa: E402

THREADS = 8
MOST_GROWTH = 2 << 20  # bytes of resident memory: what allocators need to settle, not what 10,000 recoveries would hold


class Tensor:
    """Something large that must be gone in time."""


class Work:
    """A step that fails the first time that it gets an item, and looks around when it succeeds."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.depths: set[int] = set()
        self.resident: list[int] = []
        self.ended: list[float] = []
        self.alive = 0  # tensors of a failed call that were there when the program went on
        self._failed: weakref.ref[Tensor] | None = None

    def __call__(self, item: int) -> int:
        """Fails once per item."""
        if self._failed is None:
            activations = Tensor()
            self._failed = weakref.ref(activations)
            raise OSError(item)
        self.alive += self._failed() is not None
        self._failed = None
        self.depths.add(depth_of_stack())
        self.ended.append(time.perf_counter())
        if item + 1 in (self.times // 2, self.times):
            self.resident.append(resident())
        return item


def depth_of_stack() -> int:
    """How many Python frames there are."""
    depth, frame = 0, sys._getframe()
    while frame is not None:  # type: ignore[redundant-expr]
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    return depth


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def plain(work: Work) -> int:
    """A loop."""
    total = 0
    for item in range(work.times):
        total += work(item)
    return total


def nested(work: Work) -> int:
    """A loop that calls a protected function, which crashes: it is another frame each time."""

    def step(item: int) -> int:
        mine = Tensor()
        return work(item) if mine else 0

    total = 0
    for item in range(work.times):
        total += step(item)
    return total


def generator(work: Work) -> int:
    """A generator that feeds a loop."""

    def items() -> Iterator[int]:
        for item in range(work.times):
            yield work(item)

    return sum(items())


def coroutine(work: Work) -> int:
    """A coroutine that awaits in between."""

    async def run() -> int:
        total = 0
        for item in range(work.times):
            total += work(item)
            await asyncio.sleep(0)
        return total

    return asyncio.run(run())


@dataclass(slots=True)
class Measured:
    """What many recoveries left behind."""

    shape: str
    recoveries: int
    frames: int = 0  # by which the stack grew, after the first recovery
    alive: int = 0  # tensors of failed calls
    growth: int = 0  # bytes, from the middle of the run to its end
    seconds: list[float] = field(default_factory=list)  # of a recovery, in the order of the run

    @property
    def ratio(self) -> float:
        """Time of a recovery in the last quarter against that in the second (the first fills caches)."""
        quarter = max(1, len(self.seconds) // 4)
        return statistics.median(self.seconds[-quarter:]) / statistics.median(self.seconds[quarter : 2 * quarter])

    @property
    def flat(self) -> bool:
        """Does nothing grow? (Times are for the reader: other programs run too.)"""
        return self.frames == 0 and self.alive == 0 and self.growth < MOST_GROWTH


def measure(function: Callable[[Work], int], times: int) -> Measured:
    """Run a fresh protected copy of `function`."""
    work = Work(times)
    protected = daifu_bc.protect(_copy(function), on_crash=lambda crash: Retry(), scope="nested")
    assert protected(work) == sum(range(times))
    return _measured(function.__name__, [work])


def measure_threads(times: int) -> Measured:
    """The loop in eight threads at once; what is resident is that of all of them."""
    works = [Work(times) for _ in range(THREADS)]
    protected = daifu_bc.protect(_copy(plain), on_crash=lambda crash: Retry(), scope="nested")
    threads = [threading.Thread(target=protected, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(work.ended) == times for work in works)
    return _measured(f"{THREADS} threads at once", works)


def _copy(function: Any) -> Any:
    return type(function)(function.__code__, function.__globals__, function.__name__)


def _measured(shape: str, works: list[Work]) -> Measured:
    found = Measured(shape, 0)
    for work in works:
        found.recoveries += len(work.ended)
        # The first recovery calls an unfinished procedure, one frame more; those after it take its place.
        found.frames = max(found.frames, max(work.depths) - min(work.depths) - 1)
        found.alive += work.alive
        found.growth = max(found.growth, work.resident[1] - work.resident[0])
        found.seconds += [later - sooner for sooner, later in zip(work.ended, work.ended[1:], strict=False)]
    return found


def fill_the_record() -> None:
    """The lines of text that `recoveries()` keeps are not what is measured."""
    work = Work(log.KEPT)
    daifu_bc.protect(_copy(plain), on_crash=lambda crash: Retry(), scope="nested")(work)


def measure_all(times: int) -> list[Measured]:
    """All shapes, without the collector: what is freed must be freed at once."""
    gc.collect()
    gc.disable()
    try:
        rows = [measure(function, times) for function in (plain, nested, generator, coroutine)]
        return [*rows, measure_threads(times // THREADS)]
    finally:
        gc.enable()


def main() -> int:
    """Measure and print."""
    os.environ.setdefault("DAIFU_BC_WAIT", "0")  # a crash that nothing mends is a result, nobody comes for it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10_000, help="recoveries of each shape")
    times = parser.parse_args().times
    fill_the_record()
    rows = measure_all(times)
    print(f"Python {platform.python_version()}: recoveries by shape")
    print(f"{'shape':20}{'recoveries':>11}{'frames':>8}{'alive':>7}{'KiB':>7}{'us each':>9}{'last/second quarter':>21}")
    for row in rows:
        each = statistics.median(row.seconds) * 1e6
        numbers = f"{row.recoveries:11}{row.frames:+8}{row.alive:7}{row.growth // 1024:+7}{each:9.0f}{row.ratio:21.2f}"
        print(f"{row.shape:20}{numbers}")
    return not all(row.flat for row in rows)


if __name__ == "__main__":
    sys.exit(main())
