"""The test that says of runs without a seed that they are alike: it must not say so of runs that are not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "bench_cases"
if not (HERE / "case.py").exists():
    pytest.skip("the cases are part of a checkout, not of the wheel", allow_module_level=True)
sys.path.append(str(HERE))

np = pytest.importorskip("numpy", reason="the test works on arrays")
stats = pytest.importorskip("scipy.stats", reason="the test is made of scipy's t-tests")
from unseeded import LEVEL, RUNS, tost  # noqa: E402


def share_found_alike(difference: float, times: int = 400) -> float:
    """Of so many pairs of samples whose true means are that many standard deviations apart."""
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(difference, 1, RUNS), rng.normal(0, 1, RUNS)) for _ in range(times)]
    return sum(tost(one, other)[4] < LEVEL for one, other in pairs) / times


def test_it_finds_what_is_the_same_alike_and_what_is_apart_by_the_margin_hardly_ever():
    assert share_found_alike(0.0) > 0.95
    assert share_found_alike(1.0) < 0.1  # 0.05, and a little for a margin that is itself measured
    assert share_found_alike(-1.0) < 0.1
    assert share_found_alike(2.0) == 0


def test_its_interval_lies_within_the_margin_exactly_when_p_is_small():
    rng = np.random.default_rng(1)
    for shift in np.linspace(-1, 1, 41):
        _, _, margin, _, p, low, high = tost(rng.normal(shift, 1, RUNS), rng.normal(0, 2, RUNS))
        assert (p < LEVEL) == (-margin < low and high < margin)


def test_it_is_two_one_sided_t_tests_by_the_formula():
    one, other = np.arange(30) * 1.0, np.arange(30) * 1.5 - 6
    mean, its, margin, statistic, p, _low, _high = tost(one, other)
    variances = one.var(ddof=1) / 30, other.var(ddof=1) / 30
    freedom = sum(variances) ** 2 / sum(v**2 / 29 for v in variances)
    by_hand = (abs(mean - its) - margin) / sum(variances) ** 0.5
    assert abs(statistic) == pytest.approx(-by_hand)
    assert p == pytest.approx(stats.t.cdf(by_hand, freedom))
