"""The long run of random programs: a table of verdicts, and each kind of fault with a small program.

In: the command line (--examples, --seed, --verbose). Out: the table; exit status 1 if there was a fault.
Run as `python tests/sweep/random_report.py --examples 50000`. Always true: the same seed gives the same
programs on one version of Hypothesis; each run is counted in exactly one column.
"""

from __future__ import annotations

import argparse
import platform
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402  (the path comes first)

from sweep.random_programs import Drawn, programs, write  # noqa: E402
from sweep.random_reduce import reduce  # noqa: E402
from sweep.random_runner import Runner, is_fault  # noqa: E402
from sweep.verdicts import Verdict  # noqa: E402

BATCH = 500
COLUMNS = ("exact", "refused", "whole", "left", "wrong", "internal", "killed", "stuck")


def kind(verdict: Verdict) -> str:
    """What two faults of one kind have in common: the words of the detail without names and numbers."""
    text = re.sub(r"'\.kept\d+'", "KEPT", verdict.detail)
    error = re.search(r"error ['\"](\w*)", text)
    words = re.sub(r"effect \d+: .*? instead of .*?( \| |$)", "effect instead of another ", text)
    words = re.sub(r"\[.*?\]", "[]", words)
    if verdict.status == "refused":
        words = text.split("retry: ")[-1]
    return f"{verdict.status}: {re.sub(r'[0-9]+', 'N', words)[:60]} {error[1] if error else ''}"


def batches(examples: int, first: int, each: Callable[[Drawn], None], plain: bool) -> None:
    """Call `each` with that many programs."""
    done = 0
    while done < examples:
        if plain:
            each(write(random.Random(first * 1_000_000 + done).randrange))
            done += 1
        else:
            size = min(BATCH, examples - done)
            _batch(size, first * 1_000_000 + done, each)
            done += size


def _batch(size: int, number: int, each: Callable[[Drawn], None]) -> None:
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


def smaller(runner: Runner, drawn: Drawn, fault: Verdict, seconds: float) -> str:
    """A small program with a fault of the same kind."""

    def fails(text: str) -> bool:
        return any(map(alike, runner.run(Drawn(text, drawn.keep, drawn.seed), ends)))

    def alike(verdict: Verdict) -> bool:
        return kind(verdict) == kind(fault) and verdict.mode in (fault.mode, "retry")

    ends = any(map(alike, runner.run(drawn, ends=True)))
    return reduce(drawn.source, fails, seconds)


def main() -> int:
    """Run what the command line asks for and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="draw with `random`: faster, more varied")
    parser.add_argument("--seconds", type=float, default=40.0, help="for making one fault smaller")
    parser.add_argument("--kinds", type=int, default=10, help="how many kinds of fault to make smaller")
    parser.add_argument("--refused", action="store_true", help="show programs for refusals too")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    started = time.monotonic()
    with Runner() as runner:

        def each(drawn: Drawn) -> None:
            for verdict in runner.run(drawn):
                counts[verdict.mode, verdict.status] += 1
                if verdict.status == "refused":
                    refusals[verdict.detail.split("retry: ")[-1][:150]] += 1
                if is_fault(verdict) or (options.refused and verdict.status == "refused"):
                    kinds[kind(verdict)] += 1
                    if kinds[kind(verdict)] == 1 and len(kinds) <= options.kinds:
                        _tell(runner, drawn, verdict, options.seconds)

        batches(options.examples, options.seed, each, options.plain)
    took = time.monotonic() - started
    print(f"\nPython {platform.python_version()}: {options.examples} random programs, {took:.0f} s")
    print(table(counts))
    for title, found in (("faults", kinds), ("refused", refusals)):
        for text, count in found.most_common():
            print(f"{title} {count:6} {text}")
    return bool(kinds)


def _tell(runner: Runner, drawn: Drawn, fault: Verdict, seconds: float) -> None:
    text = smaller(runner, drawn, fault, seconds)
    verdicts = [one for one in runner.run(Drawn(text, drawn.keep, drawn.seed)) if kind(one) == kind(fault)]
    print(f"--- {kind(fault)}  keep={drawn.keep} seed={drawn.seed}\n{text}")
    for one in verdicts[:4]:
        print(f"  {one.status} {one.mode} at {one.armed}: {one.detail}")
    print(flush=True)


def table(counts: Counter[tuple[str, str]]) -> str:
    """One row per mode, and their sum."""
    lines = [f"{'mode':10}{'runs':>9}" + "".join(f"{name:>9}" for name in COLUMNS)]
    modes = sorted({mode for mode, _ in counts})
    for mode in (*modes, "all"):
        row = [sum(n for (m, s), n in counts.items() if s == name and mode in (m, "all")) for name in COLUMNS]
        lines.append(f"{mode:10}{sum(row):9}" + "".join(f"{number:9}" for number in row))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
