"""daifu_bc against what one could use instead: `python perf/contenders.py [--rounds N] [--json FILE]`.

In: nothing. Out: a table: each small program under each contender, as a multiple of its plain time.
Contenders: daifu_bc; source-level vaccination (perf/vaccination); a trace function that does nothing (what debuggers
need); a sys.monitoring LINE callback that does nothing, live for the function; `reloading` (a loop that reads its body
from the file again at each item), where it is installed.
Always true: each is measured against a plain twin of the same text, interleaved in slices of milliseconds; the median
of the rounds, with a bootstrap interval in the JSON; all of them give the same results.
"""

from __future__ import annotations

import argparse
import functools
import json
import linecache
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
from typing import Any

if not __package__:  # run as a file
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from rich.console import Console
from rich.table import Table

from perf.interleave import Ratio, ratio
from perf.report import machine
from perf.subject import Function, protect
from perf.twins import Program, workload_of
from perf.vaccination import vaccinate

TOOL = 5  # of sys.monitoring: neither a debugger's nor ours

PROGRAMS = [
    Program("arithmetic", """
        def subject():
            total = 0
            for i in range(2_000):
                total += i * 3 - (i >> 1)
            return total
    """),
    Program("calls", """
        def step(i):
            return i + 1

        def subject():
            total = 0
            for i in range(1_000):
                total += step(i)
            return total
    """),
    Program("nested calls", """
        def step(i):
            return i + 1

        def subject():
            total = 0
            for i in range(1_000):
                total = step(step(total))
            return total
    """),
    Program("while", """
        def subject():
            i = total = 0
            while i < 2_000:
                total = total + i
                i = i + 1
            return total
    """),
    Program("try/except, nothing raised", """
        def subject():
            total = 0
            for i in range(2_000):
                try:
                    total += i
                except ValueError:
                    total = 0
            return total
    """),
    Program("try/except, each raised", """
        def subject():
            total = 0
            for i in range(300):
                try:
                    raise ValueError
                except ValueError:
                    total += i
            return total
    """),
    Program("a generator's items", """
        def subject():
            total = 0
            for item in (i * 2 for i in range(1_000)):
                total += item
            return total
    """),
    Program("methods and attributes", """
        class State:
            def __init__(self):
                self.total = self.count = 0

            def add(self, value):
                self.total += value
                self.count += 1

        def subject():
            state = State()
            for i in range(500):
                state.add(i)
                state.total -= state.count
            return state.total
    """),
    Program("64x64 matmul", """
        import numpy

        def subject():
            one = numpy.eye(64) * 0.5
            result = numpy.eye(64)
            for _ in range(50):
                result = result @ one + one
            return float(result.sum())
    """),
    Program("nested loops", """
        def subject():
            total = 0
            for i in range(40):
                for j in range(40):
                    total += i ^ j
            return total
    """),
]  # fmt: skip


def traced(function: Function) -> Function:
    """With a trace function that does nothing."""

    def trace(frame: Any, event: str, argument: Any) -> Any:
        return trace

    @functools.wraps(function)
    def entry(*arguments: Any) -> Any:
        sys.settrace(trace)
        try:
            return function(*arguments)
        finally:
            sys.settrace(None)

    return entry


def monitored(function: Function) -> Function:
    """With a callback for each line."""
    monitoring = sys.monitoring
    if monitoring.get_tool(TOOL) is None:
        monitoring.use_tool_id(TOOL, "contender")
        monitoring.register_callback(TOOL, monitoring.events.LINE, lambda code, line: None)
    monitoring.set_local_events(TOOL, function.__code__, monitoring.events.LINE)  # type: ignore[attr-defined]
    return function


CONTENDERS: dict[str, Callable[[Function], Function]] = {
    "daifu_bc": protect,
    "vaccination": vaccinate,
    "settrace": traced,
    "LINE events": monitored,
}


def measured(program: Program, change: Callable[[Function], Function], rounds: int) -> Ratio:
    """How much longer the changed twin takes."""
    changed = Program(program.what, program.text, None, change)
    plain, ours = workload_of(program, protected=False), workload_of(changed, protected=True)
    if plain() != ours():
        raise AssertionError(f"{program.what}: another result")
    return ratio(plain, ours, rounds)


@contextmanager
def reloading_twin(program: Program) -> Iterator[Callable[[], object] | None]:
    """Its one `for` loop over `reloading(...)`, from a file; None where that is not installed or there is none."""
    text = dedent(program.text)
    loops = sum(line.strip().startswith("for ") for line in text.splitlines())
    if find_spec("reloading") is None or loops != 1:  # it cannot reload a loop in a loop
        yield None
        return
    lines = [
        line.replace(" in ", " in reloading(", 1)[:-1] + "):" if line.strip().startswith("for ") else line
        for line in text.splitlines()
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "twin.py"
        file.write_text("from reloading import reloading\n" + "\n".join(lines) + "\n")
        spec = spec_from_file_location("twin", file)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        linecache.checkcache(str(file))
        yield module.subject


def of_reloading(program: Program) -> Ratio | None:
    """Few rounds: an item takes longer than a whole loop."""
    plain = workload_of(program, protected=False)
    with reloading_twin(program) as ours:
        if ours is None:
            return None
        return ratio(plain, ours, 3, calls=1) if plain() == ours() else None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--rounds", type=int, default=60)
    default = Path(__file__).parent / "report" / f"contenders-{sys.version_info[0]}.{sys.version_info[1]}.json"
    parser.add_argument("--json", type=Path, default=default)
    options = parser.parse_args()
    table = Table("program", *CONTENDERS, "reloading")
    found: dict[str, dict[str, Any]] = {}
    for program in PROGRAMS:
        ratios = {name: measured(program, change, options.rounds) for name, change in CONTENDERS.items()}
        reloaded = of_reloading(program)
        cells = [f"{one.median:.2f}" for one in ratios.values()]
        table.add_row(program.what, *cells, "-" if reloaded is None else f"{reloaded.median:,.0f}")
        found[program.what] = {name: asdict(one) for name, one in ratios.items()}
        if reloaded is not None:
            found[program.what]["reloading"] = asdict(reloaded)
    Console(width=130).print(table)
    options.json.parent.mkdir(exist_ok=True)
    options.json.write_text(json.dumps({"machine": machine(), "programs": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
