"""Runs one random program with crashes at many of its points and judges it as the sweep does.

In: source text and `keep`. Out: verdicts. Always true: what a run must do is taken from unprotected runs only
(verdicts.py), and only injected failures are restarted.

Where a handler of the program may catch the failure on some paths only, both ways are right: recovered, or
left to the program as it is.
"""

from __future__ import annotations

import itertools
import linecache
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sweep.collect import Declared
from sweep.effects import Injected
from sweep.instructions import inside
from sweep.outcome import difference
from sweep.random_programs import PRELUDE
from sweep.session import Session, abort
from sweep.verdicts import Baseline, Labelled, Sweep, Verdict

AT_MOST = 12  # points that fail by themselves, in one program
PAIRS = 4
TOO_MANY = 600  # points: such a program only costs time
_numbers = itertools.count()
BROAD = re.compile(r"except\*? (RuntimeError|Exception)|p\.swallower")


def declare(source: str) -> Declared:
    """A program of this text, with lines that tracebacks and tools can read."""
    name = f"<corpus random {next(_numbers)}>"
    text = PRELUDE + source
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "corpus_random"}
    exec(compile(text, name, "exec"), namespace)
    return Declared(name, namespace["program"], "nested", (), (), (), False)


def forget(program: Declared) -> None:
    """Drop the lines of a program."""
    linecache.cache.pop(program.name, None)


def retry(crash: Any) -> Any:
    """Retry what was injected itself; what a program made of it is its own."""
    from daifu_bc import Abort, Retry

    return Retry() if _holds_injected(crash.exception) else Abort()


def _holds_injected(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(_holds_injected(one) for one in error.exceptions)
    return isinstance(error, Injected)


def check(
    source: str, keep: str, seed: int, tell: Callable[[str], None], ends: bool = False
) -> list[Verdict]:
    """All verdicts on one program. `ends`: only if its clean run ends without an error."""
    program = declare(source)
    try:
        return list(_check(program, source, keep, seed, tell, ends))
    finally:
        forget(program)


def _check(
    program: Declared, source: str, keep: str, seed: int, tell: Callable[[str], None], ends: bool
) -> Iterator[Verdict]:
    tell("unprotected")
    bare = Session(program)
    clean = bare.run()
    if len(clean.points) > TOO_MANY or (ends and clean.outcome.error):
        return
    again = difference(bare.run().outcome, clean.outcome, "all")
    if again and "0x" in again:
        return  # a program that shows an address: nothing to compare
    if again:
        yield Verdict(program.name, keep, "clean", "", "wrong", f"not deterministic: {again}")
        return
    chosen = _some(list(clean.points), random.Random(seed))
    base = Baseline(clean, {point: bare.run([point]) for point, _ in chosen}, inside(program))
    program = replace(program, refuses=("",), either=("",) if BROAD.search(source) else ())
    sweep = Sweep(program, keep, base, tell)
    session = Session(program, keep, retry)
    yield sweep.verdict(session, "clean", [])
    for failing in chosen:
        yield _strict(sweep, failing).verdict(session, "retry", [failing])
    steady = [one for one in chosen if _steady(sweep, one)]
    for failing in steady[:PAIRS]:
        yield sweep.verdict(session, "twice", [failing, failing], shift=1)
    pairs = [pair for pair in itertools.combinations(steady, 2) if pair[0][0].line == pair[1][0].line]
    for one, other in _some(pairs, random.Random(seed), PAIRS):
        yield sweep.verdict(session, "later", [one, other], shift=1)
    yield from _meanwhile(program, bare, base, chosen, keep, tell)
    tell("warm: clean runs")
    for _ in range(8):
        session.run()
    for failing in chosen[:3]:
        yield _strict(sweep, failing).verdict(session, "warm", [failing])


def _meanwhile(
    program: Declared, bare: Session, base: Baseline, chosen: list[Labelled], keep: str, tell: Callable[[str], None]
) -> Iterator[Verdict]:
    """A second failure while the first is on its way out, through `finally`, `__exit__` or the clauses of `except*`.

    Whoever lets both go must see what the unprotected program does, to the lines of the traceback.
    """
    session = Session(program, keep, abort)
    for first, label in chosen[:PAIRS]:
        reached = [point for point, _ in base.armed[first].points]
        for second in reached[reached.index(first) + 1 :][:PAIRS] if first in reached else ():
            text = f"{first.line} {first.number} <{label}>, meanwhile {second.line} {second.number}"
            tell(f"{program.name} keep={keep} meanwhile: {text}")
            expected, run = bare.run([first, second]).outcome, session.run([first, second]).outcome
            found = difference(run, expected, "all") or ("" if run.trace == expected.trace else "another traceback")
            yield Verdict(program.name, keep, "meanwhile", text, "wrong" if found else "exact", found)


def _some(items: list[Any], chance: random.Random, at_most: int = AT_MOST) -> list[Any]:
    """All, or some of them in order."""
    if len(items) <= at_most:
        return items
    return [items[at] for at in sorted(chance.sample(range(len(items)), at_most))]


def _strict(sweep: Sweep, failing: Labelled) -> Sweep:
    """What the program handles for sure must be handled; where it fails by itself as well, both ways look
    alike.
    """
    bare, clean = sweep.base.armed[failing[0]].outcome, sweep.base.clean.outcome
    either = sweep.program.either if bare.error else ()
    if bare.injected and bare.error == clean.error:
        either = ("",)
    return replace(sweep, program=replace(sweep.program, either=either))


def _steady(sweep: Sweep, one: Labelled) -> bool:
    """Whether the failure of this point is recovered for sure, and its retry is the next point in its line."""
    point, _ = one
    lines = ("effect",) if sweep.keep == "calls" else ("effect", "op")
    where = sweep.base.inside
    return (
        point.line in lines
        and not sweep.program.either
        and sweep.base.is_crash(point, sweep.program)
        and point not in where.later
        and point not in where.first
    )
