"""Programs that no one has written crash at random points and go on as if nothing had happened.

`RANDOM_EXAMPLES` says how many (2,000), `RANDOM_SEED` which (0). They are shared out to one process per processor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from sweep.random_batches import Batches, sizes

EXAMPLES = int(os.environ.get("RANDOM_EXAMPLES", "2000"))
SEED = int(os.environ.get("RANDOM_SEED", "0"))


@pytest.fixture(scope="module")
def batches() -> Iterator[Batches]:
    running = Batches(EXAMPLES, SEED)
    yield running
    running.close()


@pytest.mark.parametrize("number", range(len(sizes(EXAMPLES))))
def test_random_programs_recover_exactly(batches: Batches, number: int) -> None:
    tally = batches.results[number].result()
    assert tally.programs > 0
    assert not tally.faults, "\n\n".join(f"{kind}\n{story}" for kind, story in tally.stories.items())
