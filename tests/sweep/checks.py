"""The sweep over one program: every point fails, and each run is judged against what it must do.

In: a program, a list of modes, a callback told of each run before it starts. Out: verdicts.
Always true: what a run must do is taken from unprotected runs only:
    a point whose failure gets out of the unprotected program is a crash: the run equals the clean one;
    a point whose failure the program handles is none: the run equals the unprotected one with it armed.

Modes: clean, retry, warm (retry after the interpreter has specialised the code), twice (the same point two
times), later (a second point after the first, sampled), abort (as unprotected, traceback included).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sweep.collect import Declared
from sweep.effects import Point
from sweep.instructions import Inside, inside
from sweep.outcome import Outcome, difference
from sweep.session import Run, Session, abort, retry

MODES = ("clean", "retry", "warm", "twice", "later", "abort")
KEEPS = ("calls", "all")
PAIRS = 30


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


def check(
    program: Declared, tell: Callable[[str], None], keeps: Iterable[str] = KEEPS, modes: Iterable[str] = MODES
) -> list[Verdict]:
    """All verdicts on one program."""
    base = baseline(program)
    again = difference(Session(program).run().outcome, base.clean.outcome, "all")
    if again:
        return [Verdict(program.name, "-", "clean", "", "wrong", f"not deterministic: {again}")]
    verdicts = []
    for keep in keeps:
        for verdict in _check_keep(Sweep(program, keep, base, tell), modes):
            verdicts.append(verdict)
    return verdicts


@dataclass(frozen=True, slots=True)
class Sweep:
    """What the runs of one program under one `keep` have in common."""

    program: Declared
    keep: str
    base: Baseline
    tell: Callable[[str], None]

    def _whole(self, status: str, armed: list[Point]) -> bool:
        """Whether this is one of several operations of an instruction (the numbers of later failures are shifted)."""
        failing = {*armed, *(Point(point.line, point.number - 1) for point in armed[1:])}
        inside = self.base.inside
        return bool(failing & inside.later) or (status == "refused" and bool(failing & inside.first))

    def labelled(self) -> list[tuple[Point, str]]:
        """The points of the clean run and what they are."""
        return list(self.base.clean.points)

    def verdict(
        self, session: Session, mode: str, armed: list[Point], expected: list[Outcome], bare: Outcome
    ) -> Verdict:
        """Run once and judge."""
        labels = dict(self.base.clean.points)
        text = " then ".join(f"{point.line} {point.number} <{labels.get(point, '?')}>" for point in armed)
        self.tell(f"{self.program.name} keep={self.keep} {mode}: {text}")
        run = session.run(armed)
        status, detail = judge(run, expected, bare, self.keep)
        if self._whole(status, armed) or any(label in text for label in self.program.repeats):
            status = "whole" if status in ("wrong", "refused") else status
        return Verdict(self.program.name, self.keep, mode, text, status, detail)


def judge(run: Run, expected: list[Outcome], bare: Outcome, keep: str) -> tuple[str, str]:
    """Status and reason of a run that should equal one of `expected`; `bare` is the unprotected run."""
    notes = "; ".join(note for note in run.outcome.notes if note not in bare.notes)
    if "InternalError" in notes or "internal error" in notes.lower():
        return "internal", notes[-600:]
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


def _check_keep(sweep: Sweep, modes: Iterable[str]) -> Iterator[Verdict]:
    checks = {
        "clean": _clean,
        "retry": _retry,
        "warm": _warm,
        "twice": _twice,
        "later": _later,
        "abort": _abort,
    }
    for mode in modes:
        if mode == "abort" and sweep.keep != "calls":
            continue
        yield from checks[mode](sweep)


def _clean(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, retry)
    clean = sweep.base.clean.outcome
    for _ in range(2):
        yield sweep.verdict(session, "clean", [], [clean], clean)


def _retry(sweep: Sweep) -> Iterator[Verdict]:
    for point, label in sweep.labelled():
        session = Session(sweep.program, sweep.keep, retry)
        yield sweep.verdict(session, "retry", [point], *_expected(sweep, point, label))


def _warm(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, retry)
    sweep.tell(f"{sweep.program.name} keep={sweep.keep} warm: clean runs")
    for _ in range(12):
        session.run()
    for point, label in sweep.labelled():
        yield sweep.verdict(session, "warm", [point], *_expected(sweep, point, label))


def _twice(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, retry)
    for point, label in sweep.labelled():
        if sweep.base.is_crash(point, sweep.program) and (point.line == "effect" or sweep.keep == "all"):
            expected, bare = _expected(sweep, point, label)
            yield sweep.verdict(
                session, "twice", [point, Point(point.line, point.number + 1)], expected, bare
            )


def _later(sweep: Sweep) -> Iterator[Verdict]:
    """A second failure after a recovered one: in the line of the first, numbers are shifted by the retry."""
    lines = ("effect",) if sweep.keep == "calls" else ("effect", "op")
    shaky = sweep.program.refuses + sweep.program.either
    points = [
        (at, point, label)
        for at, (point, label) in enumerate(sweep.labelled())
        if point.line in lines and not any(text in label for text in shaky)
    ]
    pairs = [
        (one, other)
        for one in points
        for other in points
        if one[0] < other[0] and sweep.base.is_crash(one[1], sweep.program)
    ]
    chosen = random.Random(sweep.program.name).sample(pairs, min(PAIRS, len(pairs)))
    session = Session(sweep.program, sweep.keep, retry)
    for (_, first, _), (_, second, later) in chosen:
        expected, bare = _expected(sweep, second, later)
        shifted = Point(second.line, second.number + 1) if second.line == first.line else second
        yield sweep.verdict(session, "later", [first, shifted], expected, bare)


def _expected(sweep: Sweep, point: Point, label: str) -> tuple[list[Outcome], Outcome]:
    """What a run with `point` armed may equal, and the unprotected run."""
    clean, bare = sweep.base.clean.outcome, sweep.base.armed[point].outcome
    if any(text in label for text in sweep.program.either):
        return [clean, bare], bare
    if sweep.base.is_crash(point, sweep.program):
        return [clean], bare
    return [bare], bare


def _abort(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, abort)
    for point, _ in sweep.labelled():
        bare = sweep.base.armed[point].outcome
        verdict = sweep.verdict(session, "abort", [point], [bare], bare)
        trace = session.run([point]).outcome.trace
        if verdict.status == "exact" and trace != bare.trace:
            detail = f"traceback {_short(trace)} instead of {_short(bare.trace)}"
            verdict = Verdict(verdict.program, verdict.keep, "abort", verdict.armed, "wrong", detail)
        yield verdict


def _short(trace: tuple[tuple[str, int | None], ...]) -> str:
    return " > ".join(f"{name}:{line}" for name, line in trace)
