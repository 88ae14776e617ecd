"""Set-up of the benchmark suites: `pytest perf`, from anywhere.

Always true: plain and protected twins stand in one group, so that pytest-benchmark shows them side by side.
It times one after the other; ratios to trust come from `perf/report.py`, which interleaves them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The suites import each other as `perf.*`; plain `pytest` does not put the folder they lie in on the path.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from perf.subject import why_not

TWINS = ("plain", "protected")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A benchmark that asks for `twin` runs as both."""
    if "twin" in metafunc.fixturenames:
        metafunc.parametrize("twin", TWINS)


@pytest.fixture(autouse=True)
def engine() -> None:
    """Skips with the reason where nothing can be protected."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
