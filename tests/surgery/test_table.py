"""The table of edits in the README: every row is tried, and everything that is tried has a row."""

from __future__ import annotations

import re
from pathlib import Path

from surgery.pairs import PAIRS, REFUSED

README = (Path(__file__).parents[2] / "README.md").read_text()
SECTION = README.partition("## Edit and continue")[2].partition("\n## ")[0]
ROWS = {": ".join(cells) for cells in re.findall(r"^\| (.+?) \| (.+?) \|$", SECTION, re.MULTILINE)}


def test_every_pair_has_its_row():
    assert {pair.row for pair in PAIRS} <= ROWS


def test_every_row_has_a_test():
    rest = {row for row in ROWS if ": refused" in row} - {pair.row for pair in PAIRS}
    assert len(rest) == 4 and len(REFUSED) >= 4  # tests/surgery/test_edits.py, test_names.py
    assert ROWS - rest - {"the edit: what happens"} == {pair.row for pair in PAIRS}


def test_there_are_sixty_pairs_and_more():
    from surgery.places import PLACES

    assert len(PAIRS) * len(PLACES) > 60
