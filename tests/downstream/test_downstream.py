"""A part of CPython's own test suite, and of its standard library, that fits into every run of the tests.

The whole of it: `make sweep`, or the scripts in this folder.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from downstream.comparison import examine  # noqa: E402  (the path comes first)
from downstream.cpython_suite import QUICK, is_there, suite_of  # noqa: E402
from downstream.every_code_object import protect_file  # noqa: E402
from downstream.outcomes import Difference, Server, Suite, compare, servers  # noqa: E402
from downstream.recorders import in_words  # noqa: E402

PATIENCE = 240.0
SUITES = [suite for suite in map(suite_of, QUICK) if is_there(suite)]


@pytest.fixture(scope="module")
def running() -> Iterator[dict[str, Server]]:
    started = servers(["plain", "asked"])
    yield started
    for server in started.values():
        server.close()


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_same_tests_pass_protected(suite: Suite, running: dict[str, Server]) -> None:
    row = examine(suite, running, PATIENCE)
    assert row.plain.count("passed") > 5, row.plain.output
    assert not row.faults(), "\n\n".join(f"{mode}: {one}" for mode, one in row.faults())


def test_what_is_protected_is_protected(running: dict[str, Server], tmp_path: Path) -> None:
    (tmp_path / "test_probe.py").write_text(
        "import unittest, daifu_bc, textwrap, json\n"
        "from daifu_bc.transform import protection_of\n"
        "class T(unittest.TestCase):\n"
        "    def test_it(self):\n"
        "        for function in (T.test_it, textwrap.fill, json.dumps, unittest.TestCase.run):\n"
        "            self.assertIsNotNone(protection_of(function.__code__))\n"
    )
    suite = Suite("probe", "pytest", (str(tmp_path / "test_probe.py"), "--import-mode=importlib"))
    assert running["asked"].run(suite, PATIENCE).count("passed") == 1
    assert running["plain"].run(suite, PATIENCE).count("failed") == 1


def test_a_test_that_dies_is_told(running: dict[str, Server], tmp_path: Path) -> None:
    (tmp_path / "test_probe.py").write_text(
        "import os\n\ndef test_good():\n    pass\n\ndef test_dies():\n    os.abort()\n"
    )
    suite = Suite("probe", "pytest", (str(tmp_path / "test_probe.py"), "--import-mode=importlib"))
    found = running["plain"].run(suite, PATIENCE)
    assert sorted(outcome for outcome, _ in found.tests.values()) == ["killed", "passed"]


def test_other_outcomes_are_told_apart(running: dict[str, Server], tmp_path: Path) -> None:
    (tmp_path / "test_probe.py").write_text(
        "import sys\n\ndef test_it():\n    assert 'daifu_bc' not in sys.modules\n\ndef test_both():\n    pass\n"
    )
    suite = Suite("probe", "pytest", (str(tmp_path / "test_probe.py"), "--import-mode=importlib"))
    found = compare(suite, *(running[mode].run(suite, PATIENCE) for mode in ("plain", "asked")))
    assert [(one.plain, one.other) for one in found] == [("passed", "failed")]


@pytest.mark.parametrize("keep", ["calls", "all"])
def test_every_code_object_of_some_modules_is_protected(keep: str) -> None:
    library = Path(ast.__file__).parent
    for name in ("ast", "asyncio/tasks", "asyncio/streams", "contextlib", "inspect", "traceback", "typing"):
        tally = protect_file(library / f"{name}.py", keep)
        assert tally.protected > 10
        assert not tally.left_alone


def test_an_exception_in_words_has_its_notes() -> None:
    error = ValueError("bad")
    error.add_note("note")
    assert in_words(error) == "ValueError: bad\nnote"


def test_a_difference_reads_as_a_line() -> None:
    assert str(Difference("suite", "test", "passed", "failed", "why")) == "test: passed -> failed: why"
