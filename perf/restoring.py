"""From a crash back to work: daifu_bc, source-level vaccination, restarts. `python perf/restoring.py [--quick]`.

In: nothing. Out: a table and JSON: for five small models of `transformers` and crashes at 10, 50 and 90 percent of an
epoch, milliseconds from the raise (a) to the failing statement run again, (b) to the end of the crashed iteration.
Restarts really are: the process is killed where it raised and another one started. Checkpoints are those of
torch.distributed.checkpoint, as often as 3.5 percent of the time allow (CheckFreq's rule), synchronous or not; that may
be less than once before the crash.
Always true: every run trains the same batches; what a restart takes is split into start-up (until the first batch) and
repeated iterations. Restarts are the better for it that nobody has to notice, decide, or queue for a machine.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

if not __package__:  # run as a file
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from rich.console import Console
from rich.table import Table

from perf.report import machine

MODELS = ("ResNet", "ViT", "Swin", "GPT-2", "LLaMA")
PLACES = (0.1, 0.5, 0.9)
BATCHES = 60
MOST_OVERHEAD = 0.035
IN_PLACE = ("daifu_bc", "vaccination")
RESTARTS = ("plain", "checkpoint", "async_checkpoint")


def run(**options: Any) -> dict[str, Any]:
    """One process; what it says."""
    text = json.dumps({"resume": False, "interval": 1, "folder": "", "batches": BATCHES, **options})
    command = [sys.executable, str(Path(__file__).with_name("restored_run.py")), text]
    ran = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(ran.stderr[-2000:])
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def in_place(model: str, how: str, at: int) -> dict[str, float]:
    """Milliseconds (a) and (b) of what goes on in the process."""
    told = run(model=model, how=how, at=at)
    return {"a": (told["again"] - told["raised"]) * 1e3, "b": (told["done"] - told["raised"]) * 1e3}


def restarted(model: str, how: str, at: int, interval: int) -> dict[str, float]:
    """The same of a process that is killed and started again, and what the time is made of."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"model": model, "how": how, "at": at, "interval": interval, "folder": folder}
        crashed = run(**options)
        again = run(**options, resume=True)
    raised = crashed["raised"]
    return {
        "a": (again["again"] - raised) * 1e3,
        "b": (again["done"] - raised) * 1e3,
        "start-up": (again["ready"] - raised) * 1e3,
        "repeated": (again["again"] - again["ready"]) * 1e3,
        "from batch": again["first"],
    }


def interval_for(model: str, how: str) -> int:
    """As many batches between checkpoints as keep them below the overhead."""
    with tempfile.TemporaryDirectory() as folder:
        told = run(model=model, how=how, at=-1, interval=10, folder=folder)
    return max(1, math.ceil(told["saves"] / (MOST_OVERHEAD * told["steps"])))


def of_model(model: str, places: tuple[float, ...]) -> dict[str, list[dict[str, float]]]:
    """All contenders at all places."""
    intervals = {how: interval_for(model, how) if how != "plain" else BATCHES for how in RESTARTS}
    found: dict[str, list[dict[str, float]]] = {}
    for how in (*IN_PLACE, *RESTARTS):
        for place in places:
            at = int(BATCHES * place)
            one = in_place(model, how, at) if how in IN_PLACE else restarted(model, how, at, intervals[how])
            found.setdefault(how, []).append({**one, "at": at, "interval": intervals.get(how, 0)})
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="only a crash in the middle of the epoch")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "report" / f"restoring-{version}.json")
    options = parser.parse_args()
    table = Table("model", "", *IN_PLACE, "from scratch", "checkpoint", "async checkpoint", "checkpoint / daifu_bc")
    found = {}
    for model in MODELS:
        of = found[model] = of_model(model, (0.5,) if options.quick else PLACES)
        for what in ("a", "b"):
            middle = {how: statistics.median(one[what] for one in runs) for how, runs in of.items()}
            cells = [f"{v:,.2f} ms" if how in IN_PLACE else f"{v / 1e3:,.1f} s" for how, v in middle.items()]
            best = min(middle["checkpoint"], middle["async_checkpoint"]) / middle["daifu_bc"]
            table.add_row(model, f"({what})", *cells, f"{best:,.0f}")
    Console(width=130).print(table)
    options.json.parent.mkdir(exist_ok=True)
    options.json.write_text(json.dumps({"machine": machine(), "models": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
