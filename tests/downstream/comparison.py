"""One suite, run plain and in each protected mode: what differs, and the table of many.

In: a suite and the servers to run it. Out: a `Row`; a table of rows. Always true: a difference counts only if it is
there again when both are run once more; a suite of which no test ran plain is a fault.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import IO

from rich.console import Console
from rich.table import Table

from downstream.expected import why_expected
from downstream.outcomes import Difference, Outcomes, Server, Suite, compare

SHOWN = 8  # differences of one suite


@dataclass(slots=True)
class Row:
    """What came out for one suite."""

    suite: Suite
    plain: Outcomes
    modes: dict[str, Outcomes] = field(default_factory=dict)
    differences: dict[str, list[Difference]] = field(default_factory=dict)
    unstable: list[str] = field(default_factory=list)  # differences that were not there the second time

    def faults(self) -> list[tuple[str, Difference]]:
        """Differences that nothing explains."""
        found = [(mode, one) for mode, all_ in self.differences.items() for one in all_ if not why_expected(one)]
        if not self.plain.count("passed", "skipped"):
            reason = "\n".join([*(detail for _, detail in self.plain.tests.values()), self.plain.output])
            found.append(("plain", Difference(self.suite.name, "(the whole)", "no test ran", "", reason[-2000:])))
        return found


def examine(suite: Suite, servers: Mapping[str, Server], patience: float) -> Row:
    """Run it plain and in each mode. `patience`: in seconds, for one run."""
    row = Row(suite, servers["plain"].run(suite, patience))
    for mode in servers:
        if mode != "plain":
            row.modes[mode] = servers[mode].run(suite, patience)
            row.differences[mode] = _lasting(row, mode, servers, patience)
    return row


def _lasting(row: Row, mode: str, servers: Mapping[str, Server], patience: float) -> list[Difference]:
    """The differences that are there once more: some tests depend on the time or the machine."""
    found = compare(row.suite, row.plain, row.modes[mode])
    if all(why_expected(one) for one in found) or any(one.other == "stuck" for one in found):
        return found
    again = compare(row.suite, *(servers[each].run(row.suite, patience) for each in ("plain", mode)))
    still = {one.test for one in again}
    row.unstable += [one.test for one in found if one.test not in still]
    return [one for one in found if one.test in still]


def examine_all(
    suites: Sequence[Suite], servers: Mapping[str, Server], patience: float, jobs: int
) -> Iterator[Row]:
    """As they are done; the servers are ended with the last."""
    try:
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [pool.submit(examine, suite, servers, patience) for suite in suites]
            yield from (done.result() for done in as_completed(waiting))
    finally:
        for server in servers.values():
            server.close()


def console() -> Console:
    """As wide as the terminal, or as a table needs."""
    return Console(width=None if sys.stdout.isatty() else 120)


def tell(to: Console, row: Row, details: IO[str] | None = None) -> None:
    """What came out, and what is wrong, a line each; all that is known of it goes to `details`."""
    for number, (mode, one) in enumerate(row.faults()):
        if details is not None:
            details.write(f"{mode}: {one}\n\n")
            details.flush()
        if number >= SHOWN:
            continue
        first = " ".join(str(one).split())
        to.print(f"{mode}: {first}"[:240], markup=False, highlight=False, soft_wrap=True)
    if len(row.faults()) > SHOWN:
        to.print(f"... and {len(row.faults()) - SHOWN} more in {row.suite.name}")
    told = ", ".join(f"{mode} {_differences(found)} different" for mode, found in row.differences.items())
    to.print(f"{row.suite.name}: {len(row.plain.tests):,} tests, {told}", markup=False, highlight=False)
    if row.unstable:
        to.print(f"{row.suite.name}: not the same twice: {', '.join(row.unstable)}", markup=False, highlight=False)


def table(title: str, rows: Sequence[Row], modes: Sequence[str]) -> Table:
    """One line a suite. Differences that are expected are counted behind a plus sign."""
    found = Table(title=title, caption="different: unexplained + expected, with the reason below")
    rows = sorted(rows, key=lambda row: row.suite.name)
    found.add_column("suite", no_wrap=True)
    for heading in ("tests", "passed", "failed", "skipped", "plain s"):
        found.add_column(heading, justify="right")
    for mode in modes:
        found.add_column(f"{mode} s", justify="right")
        found.add_column("different", justify="right")
    for row in rows:
        found.add_row(row.suite.name, *_cells([row], modes))
    found.add_section()
    found.add_row("together", *_cells(rows, modes))
    return found


def _cells(rows: Sequence[Row], modes: Sequence[str]) -> list[str]:
    counts: list[Callable[[Outcomes], int]] = [
        lambda plain: len(plain.tests),
        lambda plain: plain.count("passed", "xfailed"),
        lambda plain: plain.count("failed", "error", "killed", "stuck", "xpassed"),
        lambda plain: plain.count("skipped"),
    ]
    cells = [f"{sum(count(row.plain) for row in rows):,}" for count in counts]
    cells.append(f"{sum(row.plain.seconds for row in rows):.1f}")
    for mode in modes:
        cells.append(f"{sum(row.modes[mode].seconds for row in rows):.1f}")
        cells.append(_differences([one for row in rows for one in row.differences[mode]]))
    return cells


def _differences(found: Sequence[Difference]) -> str:
    expected = sum(why_expected(one) is not None for one in found)
    return f"{len(found) - expected}" + (f" + {expected}" if expected else "")


def reasons(rows: Sequence[Row]) -> list[str]:
    """Each reason for an expected difference, with the tests that it stands for."""
    seen: dict[str, set[str]] = {}
    for row in rows:
        for one in itertools.chain.from_iterable(row.differences.values()):
            if why := why_expected(one):
                seen.setdefault(why, set()).add(one.test)
    return [f"{why} ({len(tests)} tests, such as {min(tests)})" for why, tests in seen.items()]
