"""Tables and JSON of what was found.

In: verdicts. Out: a table by scenario on the terminal; plain values for the JSON. Always true: what is not as
case.toml says stands out, with the reason below the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from case import Case
from judging import Verdict


def show(verdicts: Sequence[Verdict], absent: Sequence[Case], console: Console) -> None:
    """One row a case, one line a scenario."""
    table = Table(title="The cases", title_justify="left")
    for head in ("case", "crash", "mended by", "recovered", "bit-identical"):
        table.add_column(head)
    table.add_column("s to crash", justify="right")
    table.add_column("ms to restore", justify="right")
    scenario = ""
    for verdict in verdicts:
        if verdict.case.scenario != scenario:
            scenario = verdict.case.scenario
            table.add_section()
            table.add_row(f"[bold]{scenario}[/]", "", "", *_counts(verdicts, scenario))
        table.add_row(*_row(verdict))
    console.print(table)
    _show_rest(verdicts, absent, console)


def _row(verdict: Verdict) -> list[str]:
    case, mended = verdict.case, verdict.mended
    head = [f"  {case.name}", case.exception]
    if mended is None:
        return [*head, f"waits for {case.waits_for}", "", "", "", ""]
    same = "yes" if not verdict.different else f"no: {', '.join(verdict.different)}"
    timing = [f"{mended.seconds_to_crash:.3f}", f"{mended.milliseconds_restoring:.2f}"]
    return [*head, _in_short(mended.restarts), _yes(verdict.recovered), same if verdict.recovered else "", *timing]


def _counts(verdicts: Sequence[Verdict], scenario: str) -> list[str]:
    asked = [v for v in verdicts if v.case.scenario == scenario and v.mended is not None]
    same = sum(v.recovered and not v.different for v in asked)
    return [f"{sum(v.recovered for v in asked)} of {len(asked)}", f"{same} of {len(asked)}", "", ""]


def _show_rest(verdicts: Sequence[Verdict], absent: Sequence[Case], console: Console) -> None:
    for verdict in verdicts:
        if verdict.case.reason:
            name = f"{verdict.case.scenario}/{verdict.case.name}"
            size = f"by at most {verdict.largest_difference:.2g} of the number"
            console.print(f"{name} differs in {', '.join(verdict.case.differs)}, {size}: {verdict.case.reason}")
    for case in absent:
        console.print(f"{case.scenario}/{case.name} not run: {', '.join(case.missing())} not installed")
    for verdict in verdicts:
        for wrong in verdict.wrong:
            name = f"{verdict.case.scenario}/{verdict.case.name}"
            console.print(f"[bold red]{name}[/] is not as its case.toml says:", wrong, highlight=False)
    asked = [v for v in verdicts if v.mended is not None]
    same = sum(v.recovered and not v.different for v in asked)
    console.print(f"{sum(v.recovered for v in asked)} of {len(asked)} recovered, {same} bit-identical.")


def plain_values(verdict: Verdict) -> dict[str, Any]:
    """For the JSON."""
    case, mended = verdict.case, verdict.mended
    facts = {
        "scenario": case.scenario, "case": case.name, "exception": case.exception, "place": case.place,
        "waits_for": case.waits_for, "recovered": verdict.recovered, "different": verdict.different,
        "reason": case.reason, "wrong": verdict.wrong,
    }  # fmt: skip
    if mended is not None:
        facts |= {
            "restarts": mended.restarts, "seconds_to_crash": mended.seconds_to_crash,
            "milliseconds_to_restore": mended.milliseconds_restoring, "seconds": mended.seconds,
            "largest_difference": verdict.largest_difference if verdict.recovered else None,
        }  # fmt: skip
    return facts


def _in_short(restarts: Sequence[str]) -> str:
    """`surgery, retry (2)`."""
    runs = [(word, len(list(same))) for word, same in groupby(restart.partition(":")[0][:28] for restart in restarts)]
    return ", ".join(word if count == 1 else f"{word} ({count})" for word, count in runs)


def _yes(said: bool) -> str:
    return "yes" if said else "[bold red]no[/]"
