"""The main job: three crashes hit a training run, each is mended, and it ends as if nothing had happened.

In: `DEMO=digits` (a CNN, the default) or `DEMO=text` (a character GPT). Out: the crashes and what became of
them, the run beside one that nothing disturbed; exit status 1 if the two differ anywhere.
Always true: the training script knows nothing of this file, of the faults or of daifu_bc.

With a terminal the console opens at each crash, unless `DEMO_POLICY=1`: then, as without, a policy decides.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
from pathlib import Path
from textwrap import shorten
from types import ModuleType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import daifu_bc
from daifu_bc import Retry, policies

if TYPE_CHECKING:
    from compare import Result
    from faults import Faults

SCRIPTS = ("digits", "text")
CRASHES = 3

HINTS = """[bold]Three crashes will come, and the console opens at each.[/bold] What mends them:
  1  OSError while a sample is read:   [green]retry[/green]   (the disk is willing the second time)
  2  RuntimeError, a wrong dtype:      {dtype}
  3  RuntimeError, a missing folder:   [green]path.parent.mkdir()[/green]   then   [green]retry[/green]
"""
DTYPES = {
    "digits": "[green]labels = labels.long()[/green]   then   [green]retry[/green]",
    "text": "[green]tokens = tokens.long()[/green]   then   [green]retry[/green]",
}


def mend_dtype(crash: daifu_bc.Crash) -> daifu_bc.Restart | None:
    """A batch came with a dtype the model cannot use: convert it where the crash is, then go on."""
    if not (isinstance(crash.exception, RuntimeError) and "Long" in str(crash.exception)):
        return None
    name = "labels" if "labels" in crash.locals else "tokens"
    crash.run(f"{name} = {name}.long()")
    return Retry()


def make_folder(crash: daifu_bc.Crash) -> daifu_bc.Restart | None:
    """A file goes into a folder that is not there: make it, then save again."""
    if "Parent directory" not in str(crash.exception):
        return None
    crash.locals["path"].parent.mkdir(parents=True)
    return Retry()


policy = policies.retry(on=(OSError,), attempts=3) | mend_dtype | make_folder


def main() -> int:
    """Both runs, then the tables; the process's exit status."""
    os.environ.setdefault("DAIFU_BC_WAIT", "0")  # a crash that nothing mends is a result, nobody comes for it
    name = os.environ.get("DEMO", "digits") or "digits"
    if name not in SCRIPTS:
        print(f"DEMO={name} is not known; there are: {', '.join(SCRIPTS)}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(f"\n[bold]daifu_bc: the main job, train_{name}.py[/bold]   (importing torch ...)")
    started = time.time()
    script = importlib.import_module(f"train_{name}")  # imports torch: part of what a restart would cost
    faults = importlib.import_module("faults").FAULTS[name]
    startup = time.time() - started
    make_deterministic()

    by_hand = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("DEMO_POLICY") != "1"
    if by_hand:
        console.print(HINTS.format(dtype=DTYPES[name]))
    with tempfile.TemporaryDirectory() as folder:
        console.print("\n[bold]A run with three crashes:[/bold]")
        daifu_bc.protect(script.train, on_crash=None if by_hand else policy)
        begun = time.time()
        mended = train(script, Path(folder, "mended"), faults)
        daifu_bc.unprotect(script.train)
        recoveries = list(daifu_bc.recoveries())
        lost = seconds_lost(recoveries, begun, Path(folder, "mended"))
        console.print("\n[bold]Once more, unprotected and with nothing injected:[/bold]")
        undisturbed = train(script, Path(folder, "undisturbed"), None)
    console.print(crash_table(recoveries, lost, startup, by_hand))
    return verdict(console, mended, undisturbed, len(recoveries))


def make_deterministic() -> None:
    """The same sums in the same order each time, so that two runs can be compared bit for bit.

    One thread: models this small gain nothing from more, and on a busy machine threads wait for each other.
    """
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def train(script: ModuleType, folder: Path, faults: Faults | None) -> Result:
    """One run of the training script, with or without its faults."""
    from compare import result_of
    from faults import installed, make_folders

    begun = time.perf_counter()
    with installed(script, faults) as seen:
        run = script.train(make_folders(folder, faults))
    return result_of(run, seen.reads, folder, time.perf_counter() - begun)


def seconds_lost(
    recoveries: list[daifu_bc.Recovery], begun: float, folder: Path
) -> list[tuple[float, float]]:
    """Per crash, the training that a restart would do again: from the newest checkpoint; from the beginning.

    The time in which a decision was waited for is no training and does not count.
    """
    saved = [path.stat().st_mtime for path in folder.glob("epoch-*.pt")]
    lost = []
    for number, recovery in enumerate(recoveries):
        crashed = recovery.time - recovery.seconds_waiting - recovery.seconds_restoring
        checkpoint = max((moment for moment in saved if moment <= crashed), default=begun)
        waited = [(earlier.time, earlier.seconds_waiting) for earlier in recoveries[:number]]
        lost.append(
            (
                crashed - checkpoint - sum(seconds for moment, seconds in waited if moment > checkpoint),
                crashed - begun - sum(seconds for _, seconds in waited),
            )
        )
    return lost


def crash_table(
    recoveries: list[daifu_bc.Recovery], lost: list[tuple[float, float]], startup: float, by_hand: bool
) -> Table:
    """One row per crash: what it was, what was done, what that took and what a restart would have taken."""
    table = Table(title="\nThe crashes", title_justify="left", title_style="bold", show_lines=True)
    table.add_column("crash")
    table.add_column("met in", no_wrap=True)
    table.add_column("went on with")
    table.add_column("crash to resumed", justify="right", no_wrap=True)
    table.add_column("a restart would have cost", justify="right", no_wrap=True)
    for recovery, (checkpoint, beginning) in zip(recoveries, lost, strict=True):
        resumed = recovery.seconds_restoring + (0 if by_hand else recovery.seconds_waiting)
        human = f"\n+ {recovery.seconds_waiting:.1f} s of yours" if by_hand else ""
        table.add_row(
            escape(shorten(f"{recovery.exception}: {recovery.message}", 75, placeholder=" ...")),
            escape(f"{recovery.function}\nline {recovery.lineno}"),
            escape(recovery.restart),
            f"{resumed * 1000:.2f} ms{human}",
            f"{startup + checkpoint:.1f} s from a checkpoint\n{startup + beginning:.1f} s without one",
        )
    table.caption = f"A restart includes {startup:.1f} s of start-up; checkpoints are made after each epoch."
    table.caption_justify = "left"
    return table


def verdict(console: Console, mended: Result, undisturbed: Result, crashes: int) -> int:
    """Prints the comparison; 0 if nothing differs and every crash was met, else 1."""
    from compare import compare

    rows = compare(mended, undisturbed)
    table = Table(title="\nThe two runs", title_justify="left", title_style="bold")
    for heading in ("", "three crashes, mended", "never disturbed", "same"):
        table.add_column(heading)
    for row in rows:
        same = "[green]yes[/green]" if row.same else "[red]NO[/red]"
        table.add_row(row.what, row.mended, row.undisturbed, same)
    table.add_row("seconds", f"{mended.seconds:.1f}", f"{undisturbed.seconds:.1f}", "")
    console.print(table)
    if crashes != CRASHES:
        console.print(f"[red]{crashes} crashes were mended; {CRASHES} were expected.[/red]")
        return 1
    if not all(row.same for row in rows):
        console.print("[red]The runs differ.[/red]")
        return 1
    console.print("[green]No difference: the mended run is the undisturbed one, bit for bit.[/green]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
