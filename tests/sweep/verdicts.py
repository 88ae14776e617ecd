"""How a run is judged: against what the unprotected program does, clean and with the same point failing.

In: a session, the points that fail. Out: a Verdict.
Always true: a verdict is "exact" only if nothing that counts differs; what is "whole" or "refused" says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sweep.collect import Declared
from sweep.effects import Point
from sweep.instructions import Inside, inside
from sweep.outcome import Outcome, difference
from sweep.session import Run, Session

Labelled = tuple[Point, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one run went. `status`: exact, refused, left, whole, wrong, internal; the parent adds killed
    and stuck.
    """

    program: str
    keep: str
    mode: str
    armed: str
    status: str
    detail: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The unprotected program: its clean run, and its run with each point armed."""

    clean: Run
    armed: dict[Point, Run]
    inside: Inside

    def is_crash(self, point: Point, program: Declared) -> bool:
        """Whether the failure of `point` is one to recover from."""
        outcome = self.armed[point].outcome
        return program.carried or bool(
            outcome.error and outcome.injected and outcome.error != self.clean.outcome.error
        )


def baseline(program: Declared) -> Baseline:
    """Run the unprotected program clean, then with each point armed."""
    bare = Session(program)
    clean = bare.run()
    return Baseline(clean, {point: bare.run([point]) for point, _ in clean.points}, inside(program))


@dataclass(frozen=True, slots=True)
class Sweep:
    """What the runs of one program under one `keep` have in common."""

    program: Declared
    keep: str
    base: Baseline
    tell: Callable[[str], None]

    def labelled(self) -> list[Labelled]:
        """The points of the clean run and what they are."""
        return list(self.base.clean.points)

    def verdict(self, session: Session, mode: str, failing: list[Labelled], shift: int = 0) -> Verdict:
        """Run once with `failing` points and judge. `shift`: what a retry adds to the next number."""
        text = " then ".join(f"{point.line} {point.number} <{label}>" for point, label in failing)
        self.tell(f"{self.program.name} keep={self.keep} {mode}: {text}")
        armed = [Point(point.line, point.number + shift * at) for at, (point, _) in enumerate(failing)]
        run = session.run(armed)
        expected, bare = (
            self.expected(failing[-1]) if failing else ([self.base.clean.outcome], self.base.clean.outcome)
        )
        if mode == "abort":
            expected = [bare]
        status, detail = judge(run, expected, bare, self.keep)
        if mode == "abort" and status == "exact" and run.outcome.trace != bare.trace:
            status, detail = "wrong", f"traceback {_short(run.outcome)} instead of {_short(bare)}"
        if status == "wrong" and run.refusals and any(self._may_be_refused(one) for one in failing):
            status = "refused"  # it went on unrecovered from there, after what had been recovered before
        if status in ("wrong", "refused") and any(self._is_whole(status, one) for one in failing):
            status = "whole"
        return Verdict(self.program.name, self.keep, mode, text, status, detail)

    def _may_be_refused(self, failing: Labelled) -> bool:
        return any(text in failing[1] for text in self.program.refuses)

    def _is_whole(self, status: str, failing: Labelled) -> bool:
        """Whether this is one of several operations of an instruction, or of an unprotected call."""
        point, label = failing
        declared = any(text in label for text in self.program.repeats)
        return (
            declared
            or point in self.base.inside.later
            or (status == "refused" and point in self.base.inside.first)
        )

    def expected(self, failing: Labelled) -> tuple[list[Outcome], Outcome]:
        """What a run in which this point fails (last) may equal, and the unprotected run."""
        point, label = failing
        clean, bare = self.base.clean.outcome, self.base.armed[point].outcome
        if any(text in label for text in self.program.either):
            return [clean, bare], bare
        return ([clean] if self.base.is_crash(point, self.program) else [bare]), bare


def judge(run: Run, expected: list[Outcome], bare: Outcome, keep: str) -> tuple[str, str]:
    """Status and reason of a run that should equal one of `expected`; `bare` is the unprotected run."""
    notes = "; ".join(note for note in run.outcome.notes if note not in bare.notes)
    if "InternalError" in notes or "internal error" in notes.lower():
        return "internal", " ... ".join(notes.split("\n")[-3:])
    differences = [difference(run.outcome, outcome, keep) for outcome in expected]
    if "" in differences:
        return "exact", ""
    if difference(run.outcome, bare, keep):
        return "wrong", " | ".join(filter(None, (differences[0], notes, *run.refusals)))
    if run.refusals or notes:
        return "refused", "; ".join((*run.refusals, notes))
    return (
        ("wrong", "asked, then gone on without a reason")
        if run.asked
        else ("left", "the policy was not asked")
    )


def _short(outcome: Outcome) -> str:
    return " > ".join(f"{name}:{line}" for name, line in outcome.trace)
