"""The sweep over one program: every point fails, and each run is judged against what it must do.

In: a program, a list of modes, a callback told of each run before it starts. Out: verdicts.
Always true: what a run must do is taken from unprotected runs only:
    a point whose failure gets out of the unprotected program is a crash: the run equals the clean one;
    a point whose failure the program handles is none: the run equals the unprotected one with it armed.

Modes: clean, retry, warm (retry after the interpreter has specialised the code), twice (the same point two
times), later (a second point after the first, sampled), abort (as unprotected, traceback included), and each
decision of decided.py (against the program edited by hand).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from sweep.collect import Declared
from sweep.decided import DECISIONS, decisions
from sweep.outcome import difference
from sweep.session import Session, abort, retry
from sweep.verdicts import Labelled, Sweep, Verdict, baseline

MODES = ("clean", "retry", "warm", "twice", "later", "abort", *DECISIONS)
LARGE_MODES = ("clean", "warm", "abort")
KEEPS = ("calls", "all")
PAIRS = 30


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


def _check_keep(sweep: Sweep, modes: Iterable[str]) -> Iterator[Verdict]:
    checks = {
        "clean": _clean,
        "retry": _retry,
        "warm": _warm,
        "twice": _twice,
        "later": _later,
        "abort": _abort,
    }
    for mode in [mode for mode in modes if not sweep.program.large or mode in LARGE_MODES]:
        if mode in DECISIONS and sweep.keep == "calls":
            yield from decisions(sweep, mode)
        elif mode not in DECISIONS and (mode != "abort" or sweep.keep == "calls"):
            yield from checks[mode](sweep)


def _clean(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, retry)
    for _ in range(2):
        yield sweep.verdict(session, "clean", [])


def _retry(sweep: Sweep) -> Iterator[Verdict]:
    for failing in sweep.labelled():
        yield sweep.verdict(Session(sweep.program, sweep.keep, retry), "retry", [failing])


def _warm(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, retry)
    sweep.tell(f"{sweep.program.name} keep={sweep.keep} warm: clean runs")
    for _ in range(12):
        session.run()
    for failing in sweep.labelled():
        yield sweep.verdict(session, "warm", [failing])


def _twice(sweep: Sweep) -> Iterator[Verdict]:
    """The retry of a point is the next in its line: it fails too."""
    session = Session(sweep.program, sweep.keep, retry)
    for failing in _recoverable(sweep):
        yield sweep.verdict(session, "twice", [failing, failing], shift=1)


def _later(sweep: Sweep) -> Iterator[Verdict]:
    """A second failure after a recovered one: in the line of the first, numbers are shifted by the retry."""
    order = {point: at for at, (point, _) in enumerate(sweep.labelled())}
    steady = [one for one in _recoverable(sweep) if not _shaky(sweep, one)]
    seconds = [one for one in _counted(sweep) if not _shaky(sweep, one)]
    pairs = [(one, other) for one in steady for other in seconds if order[one[0]] < order[other[0]]]
    session = Session(sweep.program, sweep.keep, retry)
    for one, other in random.Random(sweep.program.name).sample(pairs, min(PAIRS, len(pairs))):
        yield sweep.verdict(session, "later", [one, other], shift=int(one[0].line == other[0].line))


def _abort(sweep: Sweep) -> Iterator[Verdict]:
    session = Session(sweep.program, sweep.keep, abort)
    for failing in sweep.labelled():
        yield sweep.verdict(session, "abort", [failing])


def _counted(sweep: Sweep) -> list[Labelled]:
    """The points whose numbers a retry shifts by one: under "calls" operators may be evaluated again."""
    lines = ("effect",) if sweep.keep == "calls" else ("effect", "op")
    return [one for one in sweep.labelled() if one[0].line in lines]


def _recoverable(sweep: Sweep) -> list[Labelled]:
    return [one for one in _counted(sweep) if sweep.base.is_crash(one[0], sweep.program)]


def _shaky(sweep: Sweep, one: Labelled) -> bool:
    """Whether this point need not be recovered exactly: declared, or one of several of its instruction."""
    point, label = one
    program, inside = sweep.program, sweep.base.inside
    declared = any(text in label for text in program.refuses + program.either + program.repeats)
    return declared or point in inside.later or point in inside.first
