"""The long run of random programs: a table of verdicts, and each kind of fault with a small program.

In: the command line (--examples, --seed, --plain, --jobs, ...). Out: the table; exit status 1 if there was a fault.
Run as `python tests/sweep/random_report.py --examples 50000`. Always true: the same seed gives the same
programs on one version of Hypothesis; each run is counted in exactly one column.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.random_batch import Tally  # noqa: E402  (the path comes first)
from sweep.random_batches import Batches  # noqa: E402

COLUMNS = ("exact", "refused", "whole", "left", "wrong", "internal", "killed", "stuck")


def main() -> int:
    """Run what the command line asks for and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="draw with `random`: evenly")
    parser.add_argument("--jobs", type=int, default=0, help="processes at once (default: one per processor)")
    parser.add_argument("--seconds", type=float, default=40.0, help="for making one fault smaller")
    parser.add_argument("--kinds", type=int, default=10, help="how many kinds of fault to make smaller in a batch")
    parser.add_argument("--refused", action="store_true", help="show programs for refusals too")
    options = parser.parse_args()
    further = [f"--seconds={options.seconds}", f"--kinds={options.kinds}"]
    further += [f"--{name}" for name in ("plain", "refused") if getattr(options, name)]
    started, tally = time.monotonic(), Tally()
    batches = Batches(options.examples, options.seed, further, options.jobs)
    try:
        for result in batches.results:
            _tell(tally, result.result())
    finally:
        batches.close()
    took = time.monotonic() - started
    print(f"\nPython {platform.python_version()}: {tally.programs} random programs, {took:.0f} s")
    print(table(tally.counts))
    for title, found in (("faults", tally.faults), ("refused", tally.refused)):
        for text, count in found.most_common():
            print(f"{title} {count:6} {text}")
    return bool(tally.faults)


def _tell(tally: Tally, more: Tally) -> None:
    for kind, story in more.stories.items():
        if kind not in tally.stories:
            print(f"--- {kind}\n{story}\n", flush=True)
    tally.add(more)


def table(counts: Counter[str]) -> str:
    """One row per mode, and their sum."""
    lines = [f"{'mode':10}{'runs':>9}" + "".join(f"{name:>9}" for name in COLUMNS)]
    cells = {tuple(key.split()): number for key, number in counts.items()}
    for mode in (*sorted({mode for mode, _ in cells}), "all"):
        row = [sum(n for (m, s), n in cells.items() if s == name and mode in (m, "all")) for name in COLUMNS]
        lines.append(f"{mode:10}{sum(row):9}" + "".join(f"{number:9}" for number in row))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
