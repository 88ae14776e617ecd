"""The table of the sweep: programs, points, runs, exact, refused, whole, left, wrong, killed.

In: the command line (parts of names, --isolate, --keep, --mode, --verbose). Out: the table; exit status 1 if
any run was wrong, left, internal, killed or stuck, or refused without being declared.
Run as `python tests/sweep/report.py`. Always true: each run is counted in exactly one column.
"""

from __future__ import annotations

import argparse
import collections
import platform
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.checks import KEEPS, MODES  # noqa: E402  (the path comes first: this file is a script)
from sweep.collect import programs  # noqa: E402
from sweep.decided import DECISIONS  # noqa: E402
from sweep.pool import Pool  # noqa: E402
from sweep.verdicts import Verdict  # noqa: E402

COLUMNS = ("exact", "refused", "whole", "left", "wrong", "internal", "killed", "stuck")


def declared(verdict: Verdict) -> bool:
    """Whether the program said that this point may be refused."""
    return any(label in verdict.armed for label in programs()[verdict.program].refuses)


def is_fault(verdict: Verdict) -> bool:
    """Whether this verdict is one that the sweep must not have."""
    if verdict.status == "refused" and verdict.mode not in DECISIONS:
        return not declared(verdict)
    if verdict.status == "refused":
        return not verdict.detail  # a decision may be refused with a reason
    return verdict.status not in ("exact", "whole")


def table(verdicts: list[Verdict]) -> str:
    """One row per mode and keep, and their sum."""
    rows: dict[tuple[str, str], Counter[str]] = collections.defaultdict(Counter)
    for verdict in verdicts:
        for key in ((verdict.keep, verdict.mode), ("all modes", "")):
            rows[key][verdict.status] += 1
    lines = [f"{'keep':10}{'mode':8}{'runs':>7}" + "".join(f"{name:>10}" for name in COLUMNS)]
    for (keep, mode), counts in rows.items():
        lines.append(
            f"{keep:10}{mode:8}{sum(counts.values()):7}" + "".join(f"{counts[name]:10}" for name in COLUMNS)
        )
    return "\n".join(lines)


def main() -> int:
    """Sweep what the command line names and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of program names; none: all")
    parser.add_argument("--isolate", action="store_true", help="a process per program")
    parser.add_argument("--keep", choices=KEEPS, action="append")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument(
        "--verbose", action="store_true", help="every fault, not just the first of each program"
    )
    parser.add_argument("--tables", action="store_true", help="without the list of what is refused, and why")
    options = parser.parse_args()
    chosen = [name for name in programs() if not options.names or any(part in name for part in options.names)]
    started, verdicts = time.monotonic(), []
    with Pool(options.isolate) as pool:
        for name in chosen:
            found = pool.sweep(name, options.keep or KEEPS, options.mode or MODES)
            verdicts += found
            _tell(name, found, options.verbose)
    points = len({(verdict.program, verdict.armed) for verdict in verdicts if verdict.mode == "retry"})
    faulty = {verdict.program for verdict in verdicts if is_fault(verdict)}
    took = time.monotonic() - started
    print(f"\nPython {platform.python_version()}: {len(chosen)} programs, {points} points, {took:.0f} s")
    print(table(verdicts))
    print(f"programs without a fault: {len(chosen) - len(faulty)} of {len(chosen)}")
    if not options.tables:
        _refusals(verdicts)
    return bool(faulty)


def _tell(name: str, verdicts: list[Verdict], verbose: bool) -> None:
    faults = [verdict for verdict in verdicts if is_fault(verdict)]
    for fault in faults if verbose else faults[:1]:
        more = f" (+{len(faults) - 1} more)" if not verbose and len(faults) > 1 else ""
        print(f"{name}: {fault.status} keep={fault.keep} {fault.mode} at {fault.armed}{more}")
        print(f"    {fault.detail}", flush=True)


def _refusals(verdicts: list[Verdict]) -> None:
    reasons = Counter(
        (verdict.program, verdict.detail.split("; ")[0])
        for verdict in verdicts
        if verdict.status in ("refused", "whole")
    )
    if reasons:
        print("refused, and whole (one of several operations of an instruction, run again as a whole):")
    for (program, reason), count in sorted(reasons.items()):
        print(f"  {count:4} {program}: {reason[:200]}")


if __name__ == "__main__":
    sys.exit(main())
