"""One batch of random programs in a process of its own: how many there are at once is for its parent to say.

In: the command line (--examples, --number, --plain, --seconds, --kinds, --refused).
Out: on standard output, JSON: a Tally. Always true: the same number gives the same programs on one version of
Hypothesis; each run is counted exactly once; of each kind of fault the first program is made smaller.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402  (the path comes first)

from sweep.random_programs import Drawn, programs, write  # noqa: E402
from sweep.random_reduce import reduce  # noqa: E402
from sweep.random_runner import Runner, is_fault  # noqa: E402
from sweep.verdicts import Verdict  # noqa: E402


@dataclass(slots=True)
class Tally:
    """What came of some programs: runs by "mode status", faults and refusals by kind, a text for each kind."""

    programs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    stories: dict[str, str] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Take in what came of other programs."""
        self.programs += other.programs
        self.counts += other.counts
        self.faults += other.faults
        self.refused += other.refused
        self.stories = {**other.stories, **self.stories}


def parse(text: str) -> Tally:
    """A Tally from what a batch printed."""
    read = json.loads(text)
    counters = {name: Counter(read[name]) for name in ("counts", "faults", "refused")}
    return Tally(read["programs"], **counters, stories=read["stories"])


def kind(verdict: Verdict) -> str:
    """What two faults of one kind have in common: the words of the detail without names and numbers."""
    text = re.sub(r"'\.kept\d+'", "KEPT", verdict.detail)
    error = re.search(r"error ['\"](\w*)", text)
    words = re.sub(r"effect \d+: .*? instead of .*?( \| |$)", "effect instead of another ", text)
    words = re.sub(r"\[.*?\]", "[]", words)
    if verdict.status == "refused":
        words = text.split("retry: ")[-1]
    return f"{verdict.status}: {re.sub(r'[0-9]+', 'N', words)[:60]} {error[1] if error else ''}"


class Batch:
    """Runs programs and counts."""

    def __init__(self, runner: Runner, seconds: float, kinds: int, refused: bool) -> None:
        self.tally = Tally()
        self._runner, self._seconds, self._kinds, self._refused = runner, seconds, kinds, refused

    def each(self, drawn: Drawn) -> None:
        """One program."""
        self.tally.programs += 1
        for verdict in self._runner.run(drawn):
            self.tally.counts[f"{verdict.mode} {verdict.status}"] += 1
            if verdict.status == "refused":
                self.tally.refused[verdict.detail.split("retry: ")[-1][:150]] += 1
            if is_fault(verdict):
                self.tally.faults[kind(verdict)] += 1
            if is_fault(verdict) or (self._refused and verdict.status == "refused"):
                self._story(drawn, verdict)

    def _story(self, drawn: Drawn, fault: Verdict) -> None:
        stories = self.tally.stories
        if kind(fault) in stories or len(stories) >= self._kinds:
            return
        text = self._smaller(drawn, fault)
        verdicts = [one for one in self._runner.run(Drawn(text, drawn.keep, drawn.seed)) if _alike(one, fault)]
        lines = [f"  {one.status} {one.mode} at {one.armed}: {one.detail}" for one in verdicts[:4]]
        stories[kind(fault)] = "\n".join([f"keep={drawn.keep} seed={drawn.seed}", text, *lines])

    def _smaller(self, drawn: Drawn, fault: Verdict) -> str:
        """A small program with a fault of the same kind."""

        def fails(text: str) -> bool:
            return any(_alike(one, fault) for one in self._runner.run(Drawn(text, drawn.keep, drawn.seed), ends))

        ends = any(_alike(one, fault) for one in self._runner.run(drawn, ends=True))
        return reduce(drawn.source, fails, self._seconds)


def _alike(one: Verdict, other: Verdict) -> bool:
    return kind(one) == kind(other) and one.mode in (other.mode, "retry")


def draw_plain(size: int, number: int, each: Callable[[Drawn], None]) -> None:
    """Call `each` with programs drawn by `random`: evenly, while Hypothesis tends to what it has seen."""
    for at in range(size):
        each(write(random.Random(number * 1_000_000 + at).randrange))


def draw(size: int, number: int, each: Callable[[Drawn], None]) -> None:
    """Call `each` with that many programs drawn by Hypothesis."""

    @seed(number)
    @settings(
        max_examples=size,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def one(drawn: Drawn) -> None:
        each(drawn)

    one()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, required=True)
    parser.add_argument("--number", type=int, required=True)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--kinds", type=int, default=10)
    parser.add_argument("--refused", action="store_true")
    options = parser.parse_args()
    with Runner() as runner:
        batch = Batch(runner, options.seconds, options.kinds, options.refused)
        (draw_plain if options.plain else draw)(options.examples, options.number, batch.each)
    # Not dataclasses.asdict: it makes Counters of pairs.
    print(json.dumps({name: getattr(batch.tally, name) for name in Tally.__slots__}))


if __name__ == "__main__":
    main()
