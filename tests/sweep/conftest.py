"""Makes the harness importable as `sweep` without packages: the tests run against the wheel."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.pool import Pool  # noqa: E402  (the path comes first)


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """The process that runs the sweeps; replaced if a program kills it. SWEEP_ISOLATE=1: one per program."""
    with Pool(isolate="SWEEP_ISOLATE" in os.environ) as running:
        yield running
