"""Measure every row of the README's table: `python perf/report.py` or `python -m perf.report`.

In: which rows, how much effort. Out: a table (what, measured, target, met) and a JSON file with the details.
Always true: a row that cannot be measured here is shown with the reason; the exit status does not depend on
times.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

if not __package__:  # run as a file: this folder is on the path then, and the one above it is needed
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from perf.rows import QUICK, Effort, Figure, Row, all_rows
from perf.subject import STUB, why_not

HEADER = ("what", "measured", "target", "met")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row with its figure, or with the reason why there is none."""

    row: Row
    figure: Figure | None
    reason: str = ""

    @property
    def met(self) -> str:
        """Against the target: yes, no, or not told apart (the interval holds the target)."""
        if self.figure is None:
            return self.reason
        if self.row.target is None:
            return "-"
        if self.figure.value <= self.row.target:
            return "yes"
        return "within noise" if (self.figure.low or self.figure.value) <= self.row.target else "no"

    @property
    def measured(self) -> str:
        if self.figure is None:
            return "-"
        text = with_unit(self.figure.value, self.row.unit)
        if self.figure.low is not None and self.figure.high is not None:
            text += f" [{short(self.figure.low)}, {short(self.figure.high)}]"
        if self.figure.noise is not None:
            text += f" (two plain: {short(self.figure.noise)})"
        return text

    @property
    def cells(self) -> tuple[str, str, str, str]:
        target = "-" if self.row.target is None else with_unit(self.row.target, self.row.unit)
        return self.row.what, self.measured, target, self.met


def short(value: float) -> str:
    return f"{value:.4f}" if 0.5 <= abs(value) < 3 else f"{value:.4g}"


def with_unit(value: float, unit: str) -> str:
    return f"{short(value)}{unit}" if unit == "x" else f"{short(value)} {unit}".rstrip()


def measure(row: Row, effort: Effort) -> Outcome:
    """Measure it; what cannot be is no reason to leave out the other rows."""
    try:
        return Outcome(row, row.measure(effort))
    except ModuleNotFoundError as error:
        return Outcome(row, None, f"needs {error.name}")
    except Exception as error:  # shown in its row; the others must not suffer
        return Outcome(row, None, f"failed: {type(error).__name__}: {error}")


def machine() -> dict[str, object]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "compiler": platform.python_compiler(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "stub": STUB,
    }


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def show(outcomes: list[Outcome]) -> None:
    """The table: with rich where it is installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(plain_table(outcomes))
        return
    table = Table(*HEADER, title=f"Python {platform.python_version()}")
    for outcome in outcomes:
        style = {"yes": "green", "no": "red"}.get(outcome.met, "yellow")
        table.add_row(*outcome.cells[:3], f"[{style}]{outcome.met}[/]")
    console = Console()
    if console.is_terminal:
        console.print(table)
    else:
        print(plain_table(outcomes))


def plain_table(outcomes: list[Outcome]) -> str:
    """As Markdown, for a README."""
    lines = [HEADER, *(outcome.cells for outcome in outcomes)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    padded.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def save(outcomes: list[Outcome], path: Path) -> None:
    rows = [
        {
            "what": outcome.row.what,
            "unit": outcome.row.unit,
            "target": outcome.row.target,
            "met": outcome.met,
            "figure": asdict(outcome.figure) if outcome.figure else None,
        }
        for outcome in outcomes
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


def chosen(rows: Iterable[Row], parts: list[str]) -> list[Row]:
    return [row for row in rows if not parts or any(part in row.what for part in parts)]


def main(arguments: list[str] | None = None) -> int:
    version = ".".join(platform.python_version_tuple()[:2])
    parser = argparse.ArgumentParser(description="Measure what protection costs.")
    parser.add_argument("only", nargs="*", help="only rows whose name has one of these in it")
    parser.add_argument("--quick", action="store_true", help="a few samples of each: rough figures")
    parser.add_argument(
        "--json",
        type=Path,
        default=Path(__file__).parent / "report" / f"figures-{version}.json",
        help="where the details go (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    reason = why_not()
    if reason is not None:
        parser.exit(1, reason + "\n")
    outcomes = []
    for row in chosen(all_rows(), options.only):
        print(f"{row.what} ...", end=" ", flush=True, file=sys.stderr)
        outcomes.append(measure(row, QUICK if options.quick else Effort()))
        print(outcomes[-1].measured, outcomes[-1].met, file=sys.stderr)
    show(outcomes)
    save(outcomes, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
