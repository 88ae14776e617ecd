"""One program under protection: a policy that can be watched, and runs with armed points.

In: a program, `keep`, and a function of the crash that gives a restart. Out: outcomes, what the policy saw.
Always true: only failures that the sweep injected are restarted, and never more than LIMIT in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sweep.collect import Declared
from sweep.effects import Point
from sweep.outcome import Outcome, caused_by_injection, observe
from sweep.program import Program

LIMIT = 20


@dataclass(slots=True)
class Policy:
    """A policy that restarts injected failures and notes what was asked and what is refused."""

    restart: Callable[[Any], Any]
    asked: int = 0
    refusals: list[str] = field(default_factory=list)

    def reset(self) -> None:
        self.asked, self.refusals = 0, []

    def __call__(self, crash: Any) -> Any:
        from daifu_bc import Abort

        self.asked += 1
        if self.asked > LIMIT or not caused_by_injection(crash.exception):
            return Abort()
        restart = self.restart(crash)
        reason = crash.can(restart)
        if reason is not None:
            self.refusals.append(str(reason))
        return restart


@dataclass(frozen=True, slots=True)
class Run:
    """An outcome, the points that failed in it, and what the policy saw."""

    outcome: Outcome
    fired: tuple[tuple[Point, str], ...]
    points: tuple[tuple[Point, str], ...]
    asked: int
    refusals: tuple[str, ...]


class Session:
    """A fresh copy of a program, protected once, run many times. With restart None: the bare copy."""

    def __init__(
        self, program: Declared, keep: str = "calls", restart: Callable[[Any], Any] | None = None
    ) -> None:
        self.program = program
        self.policy = Policy(restart) if restart else None
        self.function = program.copy()
        if self.policy:
            import daifu_bc

            daifu_bc.protect(self.function, on_crash=self.policy, scope=program.scope, keep=keep)

    def run(self, armed: Iterable[Point] = ()) -> Run:
        """Run once with `armed` points."""
        if self.policy:
            self.policy.reset()
        p = Program(armed)
        outcome = observe(self.function, p)
        asked, refusals = (self.policy.asked, tuple(self.policy.refusals)) if self.policy else (0, ())
        return Run(outcome, tuple(p.fired), tuple(p.points), asked, refusals)


def retry(crash: Any) -> Any:
    """The restart of the sweep."""
    from daifu_bc import Retry

    return Retry()


def abort(crash: Any) -> Any:
    """The restart that must leave no trace."""
    from daifu_bc import Abort

    return Abort()
