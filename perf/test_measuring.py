"""The measurements themselves: do they tell what is different from what is the same?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perf import report
from perf.crashes import Mark
from perf.interleave import Samples, interval, quickest_quarter, ratio, summary
from perf.rows import QUICK, Effort, Figure, Row, more_frames, more_memory, slower


def test_the_ratio_is_that_of_neighbours() -> None:
    """A machine that gets ten times slower halfway bends nothing."""
    plain = (1.0,) * 50 + (10.0,) * 50
    found = summary(Samples(plain, tuple(2 * seconds for seconds in plain)))
    assert (found.median, found.low, found.high, found.rounds) == (2, 2, 2, 100)


def test_twice_the_work_is_told_from_once() -> None:
    def once() -> None:
        sum(range(10_000))

    def twice() -> None:
        once()
        once()

    found = ratio(once, twice, rounds=20)
    assert found.low <= found.median <= found.high
    assert found.median > 1


def test_what_disturbs_some_steps_bends_nothing() -> None:
    """The quickest quarter of each twin is compared, whatever happens to the others."""
    plain = (1.0,) * 50 + (7.0,) * 50
    protected = (30.0,) * 50 + (1.5,) * 50
    found = quickest_quarter(Samples(plain, protected))
    assert (found.median, found.low, found.high) == (1.5, 1.5, 1.5)


def test_the_interval_holds_the_median_and_is_repeatable() -> None:
    values = [float(value) for value in range(100)]
    low, high = interval(values)
    assert low < 49.5 < high
    assert (low, high) == interval(values)


def test_marks_become_growth() -> None:
    marks = [Mark(n * 10, n * 1.0, 1024 * 100 * min(n, 3), 7, 0) for n in range(7)]
    assert more_memory(marks).value == 0
    assert more_frames(marks).value == 0
    assert slower(marks).value == 1


def failing(effort: Effort) -> Figure:
    raise ValueError("no such thing")


def needs_a_library(effort: Effort) -> Figure:
    raise ModuleNotFoundError("No module named 'torch'", name="torch")


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("a", 1.01, "x", lambda effort: Figure(1.0, 0.9, 1.1)), "yes"),
        (Row("b", 1.01, "x", lambda effort: Figure(1.02, 1.0, 1.1)), "within noise"),
        (Row("c", 1.01, "x", lambda effort: Figure(1.2, 1.1, 1.3)), "no"),
        (Row("d", 5.0, "ms", lambda effort: Figure(6.0)), "no"),
        (Row("e", None, "x", lambda effort: Figure(2.0)), "-"),
        (Row("f", 1.0, "x", failing), "failed: ValueError: no such thing"),
        (Row("g", 1.0, "x", needs_a_library), "needs torch"),
    ],
)
def test_rows_are_judged(row: Row, met: str) -> None:
    assert report.measure(row, QUICK).met == met


def test_the_table_and_the_file_hold_every_row(tmp_path: Path) -> None:
    rows = [Row("a", 1.01, "x", lambda effort: Figure(1.0, 0.9, 1.1, 1.0)), Row("b", 1.0, "ms", failing)]
    outcomes = [report.measure(row, QUICK) for row in rows]
    lines = report.plain_table(outcomes).splitlines()
    assert len(lines) == 4
    assert "1.0000x [0.9000, 1.1000] (two plain: 1.0000)" in lines[2]
    report.save(outcomes, tmp_path / "new" / "figures.json")
    saved = json.loads((tmp_path / "new" / "figures.json").read_text())
    assert [row["what"] for row in saved["rows"]] == ["a", "b"]
    assert saved["rows"][1]["figure"] is None
    assert saved["machine"]["python"]
