"""`make cases ARGS=--unseeded`: runs that nobody seeded cannot be compared bit by bit; are they equivalent?

In: cases that name a number to judge by. Out: 30 recovered and 30 clean runs of each, and two one-sided t-tests
(Welch's; TOST) of whether the means differ by less than the margin. Always true: the margin is one standard deviation
of the clean runs; p is the larger of the two tests'; the interval is the 90% interval of the difference, which lies
within the margin exactly when p is below 0.05.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from case import Case
from running import run

RUNS = 30
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Of one case."""

    case: str
    number: str  # what was compared
    recovered: float  # mean
    clean: float  # mean
    margin: float
    statistic: float  # of the test with the larger p
    p: float
    low: float  # of the 90% interval of the difference of the means
    high: float
    failed: int  # runs that did not come to their end

    @property
    def equivalent(self) -> bool:
        return self.p < LEVEL and not self.failed


def compare(case: Case, runs: int = RUNS) -> Equivalence:
    """So many runs each, one of either kind in turn."""
    recovered, clean, failed = [], [], 0
    for _ in range(runs):
        for how, numbers in (("protected", recovered), ("clean", clean)):
            ran = run(case, how, seeded=False)
            failed += bool(ran.exception)
            numbers.append(ran.number)
    return Equivalence(f"{case.scenario}/{case.name}", case.unseeded, *tost(recovered, clean), failed)


def tost(recovered: Sequence[float], clean: Sequence[float]) -> tuple[float, ...]:
    """Means, margin, statistic, p, low, high."""
    import numpy as np
    from scipy import stats

    one, other = np.asarray(recovered), np.asarray(clean)
    margin = float(other.std(ddof=1))
    above = stats.ttest_ind(one + margin, other, equal_var=False, alternative="greater")
    below = stats.ttest_ind(one - margin, other, equal_var=False, alternative="less")
    worse = above if above.pvalue > below.pvalue else below
    low, high = stats.ttest_ind(one, other, equal_var=False).confidence_interval(1 - 2 * LEVEL)
    return one.mean(), other.mean(), margin, float(worse.statistic), float(worse.pvalue), low, high


def show_unseeded(cases: Sequence[Case], console: Console) -> list[dict[str, Any]]:
    """The table; the same for the JSON."""
    ready = [case for case in cases if case.unseeded and not case.waits_for]
    found = [compare(case) for case in track(ready, "cases", console=console, transient=True)]
    heads = ("case", "number", "recovered", "clean", "margin", "t", "p", "90% interval of the difference", "equivalent")
    table = Table(*heads, title=f"Without a seed: {RUNS} recovered and {RUNS} clean runs")
    for one in found:
        numbers = [f"{n:.4g}" for n in (one.recovered, one.clean, one.margin, one.statistic, one.p)]
        interval = f"{one.low:.4g} to {one.high:.4g}"
        table.add_row(one.case, one.number, *numbers, interval, "yes" if one.equivalent else "[red]no[/]")
    console.print(table)
    return [{k: _plain(v) for k, v in asdict(one).items()} | {"equivalent": one.equivalent} for one in found]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int) else None if math.isnan(value) else float(value)
