"""The rows of the README's table, each with what it is measured against.

In: an effort (how often). Out: figures.
Always true: `target` is an upper bound; a row without one is shown and not judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from perf.crashes import Mark, first_and_later, recover, seconds_to_protect
from perf.interleave import Ratio, Samples, interval, quiet_ratio, samples, summary
from perf.models import MODELS
from perf.programs import PROGRAMS
from perf.twins import Program, workload_of

MS, KIB = 1e-3, 1024


@dataclass(frozen=True, slots=True)
class Effort:
    """How often things are measured."""

    builds: int = 5  # twins made anew: where code lands in memory matters by a percent
    rounds: int = 60  # of each
    steps: int = 200  # training steps of each twin of a build
    functions: int = 5  # fresh functions that crash
    recoveries: int = 10_000


QUICK = Effort(builds=2, rounds=15, steps=20, functions=2, recoveries=1_000)


@dataclass(frozen=True, slots=True)
class Figure:
    """What came out, in the row's unit, with an interval where there are samples enough."""

    value: float
    low: float | None = None
    high: float | None = None
    noise: float | None = None  # the same for two plain twins: what cannot be told from 1
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    target: float | None
    unit: str
    measure: Callable[[Effort], Figure]


def overhead_rows() -> list[Row]:
    return [Row(program.what, program.target, "x", overhead(program)) for program in PROGRAMS]


def overhead(program: Program) -> Callable[[Effort], Figure]:
    """Protected / plain, over several builds of both."""

    def measure(effort: Effort) -> Figure:
        protected, control = Samples((), ()), Samples((), ())
        for _ in range(effort.builds):
            plain = workload_of(program, protected=False)
            protected += samples(plain, workload_of(program, protected=True), effort.rounds)
            control += samples(plain, workload_of(program, protected=False), effort.rounds // 2)
        return ratio_figure(protected, control)

    return measure


def ratio_figure(protected: Samples, control: Samples) -> Figure:
    ratio = summary(protected)
    details = {
        "plain_us": ratio.plain_seconds * 1e6,
        "protected_us": ratio.protected_seconds * 1e6,
        "rounds": ratio.rounds,
    }
    return Figure(ratio.median, ratio.low, ratio.high, summary(control).median, details)


def model_rows() -> list[Row]:
    return [Row(program.what, program.target, "x", training(program)) for program in MODELS]


def training(program: Program) -> Callable[[Effort], Figure]:
    """Protected / plain training step, torch on one thread: other work on the machine disturbs less."""

    def measure(effort: Effort) -> Figure:
        with one_torch_thread():
            ratios = [twins_ratio(program, True, effort.steps) for _ in range(effort.builds)]
            controls = [twins_ratio(program, False, effort.steps) for _ in range(effort.builds)]
        return builds_figure(ratios, controls)

    return measure


def twins_ratio(program: Program, protected: bool, steps: int) -> Ratio:
    """One build of a plain twin against one build of a protected (or another plain) one."""
    return quiet_ratio(workload_of(program, protected=False), workload_of(program, protected), steps)


def builds_figure(ratios: Sequence[Ratio], controls: Sequence[Ratio]) -> Figure:
    """The middle of several builds: tensors that land elsewhere in memory make a step slower or faster by a percent."""
    values = [ratio.median for ratio in ratios]
    low, high = min(values), max(values)
    if len(values) >= 5:
        low, high = interval(values)
    details = {
        "builds": values,
        "builds of two plain twins": [ratio.median for ratio in controls],
        "plain_us": median(ratio.plain_seconds for ratio in ratios) * 1e6,
        "rounds": ratios[0].rounds,
    }
    return Figure(median(values), low, high, median(ratio.median for ratio in controls), details)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


RESUMED = {5: 0.5, 1_000: 1.0, 20_000: 5.0}  # statements: milliseconds


def resume_rows() -> Iterator[Row]:
    for statements, target in RESUMED.items():
        for name, which in (("first crash", 0), ("later crashes", 1)):
            what = f"crash to failing instruction running again: {statements:,} statements, {name}"
            yield Row(what, target, "ms", resuming(statements, which))


def resuming(statements: int, which: int) -> Callable[[Effort], Figure]:
    """Milliseconds, of the first crash of fresh functions (`which` 0) or of later ones (1)."""

    def measure(effort: Effort) -> Figure:
        functions = min(effort.functions, 3) if statements > 10_000 else effort.functions * 4
        return seconds_figure(first_and_later(statements, functions, 10)[which], MS)

    return measure


def seconds_figure(seconds: Sequence[float], unit: float) -> Figure:
    values = [second / unit for second in seconds]
    low, high = interval(values) if len(values) >= 5 else (min(values), max(values))
    return Figure(median(values), low, high, details={"samples": len(values), "worst": max(values)})


def protect_rows() -> list[Row]:
    return [
        Row("protecting a function of 100 statements", 5.0, "ms", protecting(100, MS, 4)),
        Row("protecting a function of 20,000 statements", 3.0, "s", protecting(20_000, 1.0, 1)),
        Row("protecting: exponent of time against statements, 2,000 to 20,000", 1.1, "", growth),
    ]


def protecting(statements: int, unit: float, often: int) -> Callable[[Effort], Figure]:
    def measure(effort: Effort) -> Figure:
        seconds_to_protect(100)  # imports
        times = min(effort.functions, 3) * often
        return seconds_figure([seconds_to_protect(statements) for _ in range(times)], unit)

    return measure


def growth(effort: Effort) -> Figure:
    """1 is linear, 2 quadratic."""
    seconds_to_protect(100)
    small = median(seconds_to_protect(2_000) for _ in range(3))
    large = median(seconds_to_protect(20_000) for _ in range(min(effort.functions, 2)))
    return Figure(math.log10(large / small), details={"s_for_2000": small, "s_for_20000": large})


def recovery_rows() -> list[Row]:
    """The record of recoveries is full after 10,000: what still grows after that grows for ever."""
    what = "10,000 recoveries in one loop"
    return [
        Row(f"{what}: memory that 10,000 more take", 256.0, "KiB", lambda effort: more_memory(marks(effort))),
        Row(f"{what}: frames that the stack grew by", 0.0, "", lambda effort: more_frames(marks(effort))),
        Row(
            f"{what}: time of the last quarter / of the first", 1.1, "x", lambda effort: slower(marks(effort))
        ),
    ]


_marks: dict[Effort, list[Mark]] = {}


def marks(effort: Effort) -> list[Mark]:
    """One run of twice the recoveries serves all three rows."""
    if effort not in _marks:
        _marks[effort] = recover(2 * effort.recoveries, effort.recoveries // 10)
    return _marks[effort]


def more_memory(taken: list[Mark]) -> Figure:
    half, last, first = taken[len(taken) // 2], taken[-1], taken[1]
    details = {"recoveries": last.recovery, "first_half_kib": (half.resident - first.resident) / KIB}
    return Figure((last.resident - half.resident) / KIB, details=details)


def more_frames(taken: list[Mark]) -> Figure:
    first, last = taken[1], taken[-1]
    details = {"frames": first.stack, "c_stack_grew_kib": (last.c_stack - first.c_stack) / KIB}
    return Figure(last.stack - first.stack, details=details)


def slower(taken: list[Mark]) -> Figure:
    """Seconds for each recovery in the last quarter of the run / in the first; the very first are warm-up."""
    each = [(b.seconds - a.seconds) / (b.recovery - a.recovery) for a, b in pairwise(taken[1:])]
    quarter = max(1, len(each) // 4)
    details = {"ms_each": [round(seconds / MS, 4) for seconds in each]}
    return Figure(median(each[-quarter:]) / median(each[:quarter]), details=details)


def all_rows() -> list[Row]:
    return [*overhead_rows(), *model_rows(), *resume_rows(), *protect_rows(), *recovery_rows()]
