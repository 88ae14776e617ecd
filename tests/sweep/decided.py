"""The sweep of decisions: at every point a restart other than retry, against the program edited by hand.

In: a Sweep, the name of a decision. Out: verdicts; none for points whose edit by hand cannot be written down
(a lambda's, a generator expression's) and for those that are asked about elsewhere (an explicit `raise`).
Always true: what is expected comes from an unprotected run of the edited program with the same point failing, or,
for `use`, of the program whose call gives the value in place of failing.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sweep.collect import Declared
from sweep.edits import VALUE, Place, Spot, edited, first_line, place_of, returned, spot
from sweep.effects import CORPUS, Point
from sweep.outcome import Outcome, difference, observe
from sweep.program import Program
from sweep.session import Session
from sweep.verdicts import Labelled, Sweep, Verdict

ENDLESS = ("Endless", "RecursionError")  # edited programs whose end is where the harness or Python stops them
EXITS = re.compile(r"(await |step )?a?exit ")  # a `with` is left: its start is not what failed
CLAUSES = (ast.Try, ast.TryStar, ast.Match)  # what fails is a clause, which is a statement of its own to daifu_bc
DECISIONS = ("use", "skip", "redo", "next", "return", "jump")


class Locating(Program):
    """Notes the innermost place in the program at which its armed point fails."""

    place: Place | None = None

    def point(self, kind: str, what: str) -> None:
        """As ever."""
        try:
            super().point(kind, what)
        except BaseException:
            frame = sys._getframe(1)
            while not frame.f_code.co_filename.startswith((CORPUS, "<corpus")):
                if frame.f_back is None:
                    raise
                frame = frame.f_back
            self.place = place_of(frame.f_code, frame.f_lasti)
            raise


class Supplying(Program):
    """Gives VALUE in place of the result of one call, which then leaves no other trace."""

    supplied: Point
    given = False

    def call(self, name: str, *args: object, **kwargs: object) -> Any:
        """As ever."""
        point = Point("effect", self.counts["effect"])
        if point != self.supplied:
            return super().call(name, *args, **kwargs)
        self.counts["effect"] += 1
        self.given = True
        return VALUE


@dataclass(slots=True)
class Decider:
    """Decides `restart` at `place` once; retries what fails elsewhere, and aborts where that was refused."""

    place: Place | None = None
    restart: Any = None
    direct: bool = False  # only if the failing expression is itself a call of the effects object
    there: bool = False

    def aim(self, place: Place, restart: Any, direct: bool) -> None:
        """What is next."""
        self.place, self.restart, self.direct, self.there = place, restart, direct, False

    def __call__(self, crash: Any) -> Any:
        """The restart for this crash."""
        from daifu_bc import Abort, Retry

        place = self.place
        if self.there:
            return Abort()
        if place is None or (crash.function, crash.lineno) != (place.code.co_qualname, place.line):
            return Retry()
        if self.direct and not str(crash.expression).startswith(("p.call(", "p(")):
            return Retry()
        self.there = True
        return self.restart


def decisions(sweep: Sweep, decision: str) -> Iterator[Verdict]:
    """A verdict for each crash point of the program at which this decision can be written by hand."""
    decider, twins = Decider(), _Twins(sweep.program)
    session = Session(sweep.program, sweep.keep, decider)
    for failing in [] if sweep.program.undecided else sweep.labelled():
        point, label = failing
        at = twins.spot(point) if _goes_out_itself(sweep, failing) else None
        restart = at and _restart(decision, at, label)
        if at is None or restart is None:
            continue
        text = f"{point.line} {point.number} <{label}>"
        sweep.tell(f"{sweep.program.name} keep={sweep.keep} {decision}: {text}")
        expected = twins.supplied(point) if decision == "use" else twins.run(decision, at, point)
        if expected is None or expected.error.startswith(ENDLESS):
            continue
        decider.aim(at.place, restart, decision == "use")
        run = session.run([point])
        if not decider.there:
            continue
        status, detail = _judge(run.outcome, expected, sweep.base.armed[point].outcome, run.refusals)
        yield Verdict(sweep.program.name, sweep.keep, decision, text, status, detail)


def _goes_out_itself(sweep: Sweep, failing: Labelled) -> bool:
    """Is it a crash, and not made into another exception on its way out? (An edit's `except` would not see it.)"""
    point, _ = failing
    return (
        sweep.base.is_crash(point, sweep.program)
        and (sweep.program.carried or sweep.base.armed[point].outcome.error.startswith("Injected("))
    )


def _judge(seen: Outcome, expected: Outcome, bare: Outcome, refusals: Iterable[str]) -> tuple[str, str]:
    notes = "; ".join(note for note in seen.notes if note not in bare.notes)
    if "internal error" in notes.lower() or "InternalError" in notes:
        return "internal", notes
    wrong = difference(seen, expected, "all")
    if not wrong:
        return "exact", ""
    refused = "; ".join(refusals)
    if refused and not difference(seen, bare, "all"):
        return "refused", refused
    return "wrong", " | ".join(filter(None, (wrong, refused, notes)))


def _restart(decision: str, at: Spot, label: str) -> Any:
    """The restart, None where its edit by hand cannot be written."""
    from daifu_bc import Jump, NextIteration, Redo, Return, Skip, Use

    function, exits = at.function, bool(EXITS.match(label))
    annotates = isinstance(at.statement, ast.AnnAssign)  # in a `try` an annotation is another: it depends on the run
    whole = function is not None and not _yields_asynchronously(function)
    makers: dict[str, Callable[[], Any]] = {
        "use": lambda: Use(VALUE),
        "skip": lambda: None if (exits and _leaves(at.statement)) or annotates else Skip(),
        "redo": lambda: None if exits or isinstance(at.statement, CLAUSES) else Redo(),
        "next": lambda: NextIteration() if at.loop else None,
        "return": lambda: Return(returned(function)) if whole else None,
        "jump": lambda: Jump(first_line(function.body[0])) if function else None,
    }
    return makers[decision]()


def _leaves(statement: ast.stmt) -> bool:
    """Can a block be left by something that a skip takes into account, and an edit around the block does not?"""
    return any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in ast.walk(statement))


def _yields_asynchronously(function: Any) -> bool:
    return isinstance(function, ast.AsyncFunctionDef) and any(isinstance(one, ast.Yield) for one in ast.walk(function))


class _Twins:
    """Edited programs, each made once, and what they do."""

    def __init__(self, program: Declared) -> None:
        self._program = program
        self._made: dict[tuple[str, ast.AST | None], Any] = {}

    def spot(self, point: Point) -> Spot | None:
        """Where the point fails."""
        p = Locating([point])
        observe(self._program.copy(), p)
        return spot(self._program, p.place) if p.place else None

    def run(self, decision: str, at: Spot, point: Point) -> Outcome:
        """The edited program with the point failing."""
        key = (decision, {"next": at.loop, "skip": at.statement, "redo": at.statement}.get(decision, at.function))
        if key not in self._made:
            self._made[key] = edited(self._program, decision, at)
        return observe(self._made[key], Program([point]))

    def supplied(self, point: Point) -> Outcome | None:
        """The program with the value in place of the call; None if the point is no call."""
        p = Supplying()
        p.supplied = point
        outcome = observe(self._program.copy(), p)
        return outcome if p.given else None
