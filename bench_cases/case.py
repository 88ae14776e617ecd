"""A case: a folder with a program as its user wrote it, its fault, the decision, and what case.toml says of them.

In: folders `<scenario>/<case>/` beside this file. Out: a `Case` for each, in order. Always true: a case says what it
needs, where it crashes and with what, how it is mended, and what of its two runs is compared.

    program.py   unchanged for us, no word of daifu_bc; `main(seed)` returns what its user looks at
    fault.py     `arm(program)`: what goes wrong outside the program; or `FIX`: (old, new) texts of a bug in it
    mend.py      `on_crash(crash)`: what its user would do at the console, as a policy
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of a case beforehand. Paths are absolute."""

    folder: Path
    origin: str
    exception: str  # name of the class of the first one
    place: str  # "function: line" of the program's own innermost frame at the first crash
    restarts: tuple[str, ...]  # what mends the crashes, in order, as `recoveries()` names them
    compared: tuple[str, ...]  # what `main` returns; files and random numbers are always compared
    needs: tuple[str, ...] = ()  # modules that are no dependency of daifu_bc
    always: str = ""  # the program's exception that is a crash even where something would swallow it
    waits_for: str = ""  # what is missing to mend it: "workers", "ranks"
    differs: tuple[str, ...] = ()  # what is not bit-identical afterwards ...
    reason: str = ""  # ... and why
    at_most: float = 0.0  # relative to the larger, the difference of two numbers in it is never more
    unseeded: str = ""  # the number, among what is compared, that runs without a seed are judged by

    @property
    def scenario(self) -> str:
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return self.folder.name

    def missing(self) -> list[str]:
        """Modules it needs that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


def read(folder: Path) -> Case:
    """The case in `folder`."""
    facts = tomllib.loads((folder / "case.toml").read_text())
    lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
    lists["restarts"] = tuple(word for text in facts["restarts"] for word in _spelled_out(text))
    return Case(folder=folder, **(facts | lists))


def _spelled_out(restarts: str) -> list[str]:
    """As the table shows them: `retry (3)` is three times `retry`."""
    [(word, count)] = re.findall(r"(.*?)(?: \((\d+)\))?$", restarts)[:1]
    return [word] * int(count or 1)


def every(names: Sequence[str] = ()) -> list[Case]:
    """All cases, by scenario; with `names` those whose `scenario/case` begins or ends with one of them."""
    cases = [read(file.parent) for file in sorted(HERE.glob("*/*/case.toml"))]
    return [case for case in cases if not names or any(_is_named(case, name) for name in names)]


def _is_named(case: Case, name: str) -> bool:
    return name in (case.scenario, case.name, f"{case.scenario}/{case.name}")
