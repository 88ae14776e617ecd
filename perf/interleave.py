"""Ratios that a busy machine cannot bend much: short slices of both twins in turn, medians, a bootstrap
interval.

In: two functions without parameters that do the same work. Out: how much longer the second takes.
Always true: both run in this process, in slices of a few milliseconds, one right after the other and in
alternating order; the ratio is that of the two slices of one round, so that what slows the machine down for
longer slows down both. Steps of training are too long to be slices that nothing disturbs: `quiet_ratio` counts the
thread's own processor time, and compares the least disturbed quarter of the steps of each twin.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Work = Callable[[], object]

SLICE = 0.003  # seconds
RESAMPLES = 2_000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Ratio:
    """Median of the rounds' ratios, with a bootstrap interval."""

    median: float
    low: float
    high: float
    plain_seconds: float  # a call, median
    protected_seconds: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Samples:
    """Seconds a call, by round."""

    plain: tuple[float, ...]
    protected: tuple[float, ...]

    def __add__(self, other: Samples) -> Samples:
        return Samples(self.plain + other.plain, self.protected + other.protected)


def ratio(plain: Work, protected: Work, rounds: int = 100, calls: int | None = None) -> Ratio:
    """How much longer `protected` takes than `plain`."""
    return summary(samples(plain, protected, rounds, calls))


def samples(plain: Work, protected: Work, rounds: int, calls: int | None = None) -> Samples:
    """Time both, in turn. calls: how many a slice; by default as many as the slower one fills it with."""
    with undisturbed():
        calls = calls or min(calls_in_a_slice(plain), calls_in_a_slice(protected))
        for work in (plain, protected):
            seconds_a_call(work, calls)  # caches and specialisation
        pairs = [one_round(plain, protected, calls, swap=bool(number % 2)) for number in range(rounds)]
    return Samples(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def quiet_ratio(plain: Work, protected: Work, rounds: int) -> Ratio:
    """How much more processor time `protected` takes than `plain`, in their quickest quarter of calls."""
    with undisturbed():
        for work in (plain, protected) * 3:
            processor_seconds(work)
        pairs = [one_quiet_round(plain, protected, swap=bool(number % 2)) for number in range(rounds)]
    return quickest_quarter(Samples(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)))


def one_quiet_round(plain: Work, protected: Work, swap: bool) -> tuple[float, float]:
    """Processor seconds of a call of each, right after one another."""
    if swap:
        second = processor_seconds(protected)
        return processor_seconds(plain), second
    return processor_seconds(plain), processor_seconds(protected)


def processor_seconds(work: Work) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def quickest_quarter(taken: Samples) -> Ratio:
    """The ratio of the means of the quickest quarters; its interval from resampled rounds."""
    plain, protected = np.array(taken.plain), np.array(taken.protected)
    rounds, quarter = len(plain), max(1, len(plain) // 4)
    picks = np.random.default_rng(0).integers(0, rounds, (RESAMPLES, rounds))

    def quick(times: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        resampled = np.sort(times[picks], axis=1)[:, :quarter].mean(axis=1)
        return float(np.sort(times)[:quarter].mean()), resampled

    (once, often), (twin, twins) = quick(plain), quick(protected)
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(np.quantile(twins / often, level)) for level in (tail, 1 - tail))
    return Ratio(twin / once, low, high, once, twin, rounds)


def one_round(plain: Work, protected: Work, calls: int, swap: bool) -> tuple[float, float]:
    """Seconds a call of both, taken right after one another."""
    if swap:
        second = seconds_a_call(protected, calls)
        return seconds_a_call(plain, calls), second
    return seconds_a_call(plain, calls), seconds_a_call(protected, calls)


def seconds_a_call(work: Work, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def calls_in_a_slice(work: Work) -> int:
    """As many calls as fill a slice."""
    calls = 1
    while True:
        seconds = seconds_a_call(work, calls) * calls
        if seconds >= SLICE / 2 or calls >= 1 << 20:
            return max(1, round(calls * SLICE / max(seconds, 1e-9)))
        calls *= 2


def summary(taken: Samples) -> Ratio:
    """The samples in five numbers."""
    ratios = np.array(taken.protected) / np.array(taken.plain)
    low, high = interval(ratios)
    return Ratio(
        median=float(np.median(ratios)),
        low=low,
        high=high,
        plain_seconds=float(np.median(taken.plain)),
        protected_seconds=float(np.median(taken.protected)),
        rounds=len(ratios),
    )


def interval(values: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """Bootstrap interval of the median of `values`; the same for the same values."""
    array = np.asarray(values, dtype=float)
    picks = np.random.default_rng(0).integers(0, len(array), (RESAMPLES, len(array)))
    medians = np.median(array[picks], axis=1)
    tail = (1 - CONFIDENCE) / 2
    return float(np.quantile(medians, tail)), float(np.quantile(medians, 1 - tail))


@contextmanager
def undisturbed() -> Iterator[None]:
    """No garbage collection meanwhile."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
