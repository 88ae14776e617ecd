"""`make cases`: every case plain, clean and mended; a table by scenario, JSON beside it.

In: names of scenarios or cases (none: all). Out: exit status 1 if anything is not as its case.toml says.
Always true: a case whose libraries are not installed is named as not run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # as a script this is done; as a test's import it is not

from rich.console import Console
from rich.progress import track

from case import HERE, Case, every
from judging import judge
from running import warm_up
from table import plain_values, show


def main() -> int:
    """What `make cases ARGS=...` runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios, cases, or scenario/case")
    parser.add_argument("--json", type=Path, default=HERE / "cases.json")
    arguments = parser.parse_args()
    cases = every(arguments.names)
    ready = [case for case in cases if not case.missing()]
    absent = [case for case in cases if case.missing()]
    console = Console() if sys.stdout.isatty() else Console(width=130)
    warm_up(ready)
    return _mend(ready, absent, console, arguments.json)


def _mend(ready: list[Case], absent: list[Case], console: Console, file: Path) -> int:
    verdicts = [judge(case) for case in track(ready, "cases", console=console, transient=True)]
    show(verdicts, absent, console)
    file.write_text(json.dumps([plain_values(verdict) for verdict in verdicts], indent=1) + "\n")
    return int(any(verdict.wrong for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
