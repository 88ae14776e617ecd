"""Every case of bench_cases/ goes as its case.toml says: crashes so, is mended so, and loses nothing.

The cases run as `make cases` runs them, all in one process that is not this one: what they need is imported once, and
nothing that other tests did is seen by them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parents[2] / "bench_cases"
if not (HERE / "case.py").exists():
    pytest.skip("the cases are part of a checkout, not of the wheel", allow_module_level=True)
sys.path.append(str(HERE))

from case import Case, every  # noqa: E402

NAMED = {f"{case.scenario}/{case.name}": case for case in every()}


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `make cases` finds of the cases that are asked for here."""
    file = tmp_path_factory.mktemp("cases") / "cases.json"
    names = [item.callspec.params["name"] for item in request.session.items if item.path == Path(__file__)]
    command = [sys.executable, str(HERE / "cases.py"), "--json", str(file), *names]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert file.exists(), ran.stdout + ran.stderr
    return {f"{facts['scenario']}/{facts['case']}": facts for facts in json.loads(file.read_text())}


@pytest.mark.parametrize("name", NAMED)
def test_a_case_goes_as_it_says(name: str, found: dict[str, Any]) -> None:
    case: Case = NAMED[name]
    if case.missing():
        pytest.skip(f"needs {', '.join(case.missing())}, which is not installed")
    assert not found[name]["wrong"], "\n".join(found[name]["wrong"])
