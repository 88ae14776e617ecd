"""Restarts other than retry, checked against twins: the program edited by hand to do what the restart means.

In: cases, each a program, the point that fails, the restart and the twin. Out: what differs, in words.
Always true: a twin is never protected and nothing in it fails; only places are left out of the comparison.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sweep.collect import Declared
from sweep.effects import Point
from sweep.outcome import Outcome
from sweep.session import Run, Session

CASES: dict[str, Case] = {}


@dataclass(slots=True)
class Case:
    """`function` with the `number`-th point `at` failing (once) and `restart` decided must do what
    `twin_of` does.
    """

    function: Any
    at: str
    number: int
    restart: Callable[[Any], Any]
    keep: str
    twin_of: Any = None

    def twin(self, function: Any) -> Any:
        """Decorator: the hand-edited program."""
        self.twin_of = function
        return function

    def armed(self, clean: Run) -> Point:
        """The point that shall fail."""
        found = [point for point, label in clean.points if label == self.at]
        assert len(found) > self.number, (
            f"no point {self.at!r} number {self.number} in {[label for _, label in clean.points]}"
        )
        return found[self.number]


def case(at: str, restart: Any, number: int = 0, keep: str = "calls") -> Callable[[Any], Case]:
    """Decorator for a program; `restart` is a restart or a function of the crash that gives one."""

    def make(function: Any) -> Case:
        decide = restart if callable(restart) else lambda crash: restart
        made = CASES[function.__name__] = Case(function, at, number, decide, keep)
        return made

    return make


def line_of(function: Any, mark: str) -> int:
    """The line of the file in which `function` has the comment `# mark`."""
    lines, first = inspect.getsourcelines(function)
    return next(first + at for at, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}"))


def run_case(one: Case) -> tuple[Run, Outcome, Outcome]:
    """The restarted run, its outcome, and the outcome of the twin."""
    program = _declared(one.function)
    point = one.armed(Session(program).run())
    run = Session(program, one.keep, one.restart).run([point])
    return run, run.outcome, Session(_declared(one.twin_of)).run().outcome


def disagreement(run: Run, seen: Outcome, expected: Outcome) -> str:
    """What the restarted run did otherwise than the twin; "" if nothing."""
    if not run.asked:
        return f"the policy was not asked; error {seen.error} notes {seen.notes}"
    for what in ("error", "result", "output"):
        if getattr(seen, what) != getattr(expected, what):
            wrong = f"{what} {getattr(seen, what)!r} instead of {getattr(expected, what)!r}"
            return f"{wrong}; notes {seen.notes}; refusals {run.refusals}"
    logs = [[entry.what for entry in outcome.log if entry.kind != "attr"] for outcome in (seen, expected)]
    return "" if logs[0] == logs[1] else f"log {logs[0]} instead of {logs[1]}"


def _declared(function: Any) -> Declared:
    return Declared(function.__name__, function, "nested", (), (), (), False)
