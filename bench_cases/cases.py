"""`make cases`: every case plain, clean and mended; a table by scenario, JSON beside it.

In: names of scenarios or cases (none: all). Out: exit status 1 if anything is not as its case.toml says.
Always true: a case whose libraries are not installed is named as not run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # as a script this is done; as a test's import it is not

from rich.console import Console
from rich.progress import track

from case import HERE, Case, every
from general import show_general
from judging import judge
from running import warm_up
from table import plain_values, show
from unseeded import show_unseeded


def main() -> int:
    """What `make cases ARGS=...` runs."""
    os.environ.setdefault("DAIFU_BC_WAIT", "0")  # a crash that nothing mends is a result, nobody comes for it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios, cases, or scenario/case")
    parser.add_argument("--general", action="store_true", help="with general policies instead of each case's own")
    parser.add_argument("--unseeded", action="store_true", help="many runs without a seed, and whether they are alike")
    parser.add_argument("--json", type=Path, help="where the same goes as plain values")
    arguments = parser.parse_args()
    cases = every(arguments.names)
    ready = [case for case in cases if not case.missing()]
    absent = [case for case in cases if case.missing()]
    console = Console() if sys.stdout.isatty() else Console(width=130)
    warm_up(ready)
    if arguments.general or arguments.unseeded:
        kind = "general" if arguments.general else "unseeded"
        found = (show_general if arguments.general else show_unseeded)(ready, console)
        _write(arguments.json or HERE / f"cases-{kind}.json", found)
        return int(any(not one.get("equivalent", True) for one in found))
    return _mend(ready, absent, console, arguments.json or HERE / "cases.json")


def _mend(ready: list[Case], absent: list[Case], console: Console, file: Path) -> int:
    verdicts = [judge(case) for case in track(ready, "cases", console=console, transient=True)]
    show(verdicts, absent, console)
    _write(file, [plain_values(verdict) for verdict in verdicts])
    return int(any(verdict.wrong for verdict in verdicts))


def _write(file: Path, found: list[dict[str, Any]]) -> None:
    file.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
