"""`daifu-bc ps`: the crashes that wait.

In: their facts. Out: a table, or a JSON object a line. Always true: what a process says of itself is printed without
control characters.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from daifu_bc.console.values import one_line
from daifu_bc.remote import find
from daifu_bc.remote.wire import Message
from daifu_bc.remote.workers import words_for_worker

_HEADER = ("PID", "NAME", "RANK", "JOB", "WAITED", "LEFT", "MEMORY", "WHERE", "EXCEPTION")
_EVERY = 2.0  # seconds


def main(as_json: bool, watch: bool, ask: Callable[[], list[Message]] = find.crashes) -> int:
    """Print them; with `watch` until Ctrl-C. ask: where they come from."""
    try:
        while True:
            text = _text(ask(), as_json)
            if watch and sys.stdout.isatty():
                text = f"\x1b[H\x1b[2J{text}"
            print(text, flush=True) if text or watch else None
            if not watch:
                return 0
            time.sleep(_EVERY)
    except KeyboardInterrupt:
        return 0


def _text(found: list[Message], as_json: bool) -> str:
    if as_json:
        return "\n".join(json.dumps(row) for row in found)
    if not found:
        return "no crash waits"
    rows = [_HEADER, *map(_row, found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    )


def _row(facts: Message) -> tuple[str, ...]:
    waited, wait = _number(facts, "waited"), _number(facts, "wait")
    memory = f"{_number(facts, 'memory') / 2**20:.0f} MiB"
    if device := _number(facts, "device_memory"):
        memory += f" + {device / 2**20:.0f} MiB"
    worker = f" ({words})" if (words := words_for_worker(facts)) else ""
    rank, job = facts.get("rank"), facts.get("job")
    return tuple(
        one_line(str(cell), 60)
        for cell in (
            facts["pid"], facts.get("name"), "-" if rank is None else rank, job or "-",
            _time(waited), _time(max(wait - waited, 0)), memory,
            f"{facts.get('function')}:{facts.get('lineno')}{worker}",
            f"{facts.get('exception')}: {facts.get('message')}",
        )
    )  # fmt: skip


def _number(facts: Message, name: str) -> float:
    found = facts.get(name)
    return float(found) if isinstance(found, int | float) else 0.0


def _time(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
