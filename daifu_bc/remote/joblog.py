"""The job log: what happened to crashes that waited, one JSON object a line.

In: facts and recoveries. Out: lines of DAIFU_BC_LOG, or of a file per job in the user's state folder. Always true: a
line is written in one piece; a log that cannot be written disturbs nothing.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daifu_bc.remote import settings
from daifu_bc.restarts.log import Recovery


def folder() -> Path:
    """Where the logs lie that no DAIFU_BC_LOG names."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return Path(state if os.path.isabs(state) else os.path.expanduser("~/.local/state")) / "daifu_bc"


def log_path() -> Path:
    """This job's log."""
    given = os.environ.get("DAIFU_BC_LOG")
    job = "".join(c if c.isalnum() or c in "-_." else "_" for c in settings.job()) or "local"
    return Path(given) if given else folder() / f"{job}.jsonl"


def write(row: dict[str, Any]) -> None:
    """Add a line."""
    try:
        path = log_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        line = json.dumps({"time": time.time(), "user": os.geteuid(), "pid": os.getpid(), **row}) + "\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)
    except (OSError, ValueError, RuntimeError):  # no home, a full disk, a folder of somebody else's
        return


def write_recovery(recovery: Recovery) -> None:
    """Add a line about a run that goes on."""
    row = {**asdict(recovery), "pid": recovery.process, "done": recovery.restart}
    write({"job": settings.job(), "rank": settings.rank(), **row})


def main(job: str, as_json: bool) -> int:
    """`daifu-bc log`."""
    for row in sorted(_rows(job), key=lambda row: row.get("time", 0)):
        print(json.dumps(row) if as_json else _words(row))
    return 0


def _rows(job: str) -> Iterator[dict[str, Any]]:
    given = os.environ.get("DAIFU_BC_LOG")
    for path in [Path(given)] if given else sorted(folder().glob("*.jsonl")):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            print(f"daifu-bc: {error}", file=sys.stderr)
            continue
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:  # half a line of a full disk
                continue
            if isinstance(row, dict) and (not job or row.get("job") == job):
                yield row


def _words(row: dict[str, Any]) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.get("time", 0)))
    where = f"{row.get('function')} ({row.get('filename')}:{row.get('lineno')})"
    what = f"{row.get('exception')}: {row.get('message')}"
    took = f"after {row.get('seconds_waiting', row.get('waited', 0)):.1f} s"
    diff = f"\n{row['diff']}" if row.get("diff") else ""
    return f"{when}  {row.get('pid')}  {where}  {what} -> {row.get('done')} {took}{diff}"
