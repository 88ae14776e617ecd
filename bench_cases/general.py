"""`make cases ARGS=--general`: the same crashes with nobody who knows a patch, only general policies.

In: cases. Out: how many finish, how many of these finish right (bit for bit), and what the others lost.
Always true: the policy knows nothing of any case; it is the upper bound for a run that nobody looks after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from case import Case
from judging import differences
from running import Ran, run

AT_MOST = 20  # iterations, and statements, given up in one run


@dataclass(frozen=True, slots=True)
class Unattended:
    """One case without a patch."""

    case: Case
    ran: Ran
    lost: list[str]  # parts that are not the clean run's; empty where it did not finish

    @property
    def finished(self) -> bool:
        return not self.ran.exception


def policy() -> Any:
    """Retry, free memory, give up the iteration, give up the statement: whichever may help first."""
    from daifu_bc import Skip, policies

    skipped = 0

    def skip_statement(crash: Any) -> Any:
        nonlocal skipped
        if skipped >= AT_MOST or crash.can(Skip()) is not None:
            return None
        skipped += 1
        return Skip()

    return (
        policies.free_memory(attempts=1)
        | policies.retry(on=(Exception,), attempts=2)
        | policies.skip_iteration(at_most=AT_MOST)
        | skip_statement
    )


def unattended(case: Case) -> Unattended:
    """With the general policy, and what it lost against the clean run."""
    ran, clean = run(case, "protected", policy()), run(case, "clean")
    return Unattended(case, ran, [] if ran.exception else differences(ran, clean))


def show_general(cases: Sequence[Case], console: Console) -> list[dict[str, Any]]:
    """The table; the same for the JSON."""
    ready = [case for case in cases if not case.waits_for]
    found = [unattended(case) for case in track(ready, "cases", console=console, transient=True)]
    table = Table("case", "what the policy did", "finished", "right", "not as in the clean run", title="Unattended")
    for one in found:
        table.add_row(*_row(one))
    console.print(table)
    finished = [one for one in found if one.finished]
    right = sum(not one.lost for one in finished)
    console.print(f"{len(finished)} of {len(found)} finished, {right} of these right.")
    return [
        {"case": _name(one), "finished": one.finished, "restarts": one.ran.restarts, "lost": one.lost} for one in found
    ]


def _row(one: Unattended) -> list[str]:
    steps = ", ".join(dict.fromkeys(one.ran.restarts))
    if not one.finished:
        return [_name(one), steps, f"no: {one.ran.exception}", "", ""]
    return [_name(one), steps, "yes", "no" if one.lost else "yes", ", ".join(one.lost)]


def _name(one: Unattended) -> str:
    return f"{one.case.scenario}/{one.case.name}"
