"""What autoinstrumentation costs before a program does anything: start-up, and the imports of 300 modules.

    python perf/importing.py [--modules N] [--rounds N]

Needs daifu_bc installed (editable will do): the `.pth` is what is measured. Each figure is the median of interleaved
runs of fresh processes, plain and ours. Imports are timed within the process, start-up around it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

MODULE = '''
class Thing{number}:
    kind = "thing"

    def __init__(self, value, rest=None):
        self.value, self.rest = value, list(rest or [])

    def total(self, factor=1.0):
        total = 0.0
        for number, item in enumerate(self.rest):
            if item is None:
                continue
            total += item * factor + number
        return total

    def describe(self):
        return f"{{self.kind}} {{self.value}} of {{len(self.rest)}}"

    @property
    def half(self):
        return self.value / 2


def load_{number}(path, strict=True):
    out = []
    with open(path) as file:
        for line in file:
            try:
                out.append(Thing{number}(float(line)))
            except ValueError as error:
                if strict:
                    raise RuntimeError(f"line {{line!r}}") from error
    return out
'''
MAIN = """
import importlib, time
began = time.perf_counter()
for number in range({modules}):
    importlib.import_module(f"package.m{{number}}")
print(time.perf_counter() - began)
"""


START = """
import site, sysconfig, time
folder = sysconfig.get_path("purelib")
began = time.perf_counter()
site.addpackage(folder, "daifu_bc.pth", set())
print(time.perf_counter() - began)
"""


def a_project(folder: Path, modules: int) -> None:
    """Modules of six classes and six functions each, which import only the standard library."""
    package = folder / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    text = "import os\nimport sys\n" + "".join(MODULE.format(number=number) for number in range(6))
    for number in range(modules):
        (package / f"m{number}.py").write_text(text)
    (folder / "main.py").write_text(MAIN.format(modules=modules))
    (folder / "pyproject.toml").write_text("[project]\nname = 'measured'\nversion = '0'\n")


def environment(on: bool) -> dict[str, str]:
    """With the variable or without; bytecode may be written."""
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return rest | ({"DAIFU_BC_AUTOINSTRUMENT": "project", "DAIFU_BC_WAIT": "0"} if on else {})


def seconds_of_imports(folder: Path, on: bool) -> float:
    """What the program says."""
    command = [sys.executable, "main.py"]
    ran = subprocess.run(command, cwd=folder, env=environment(on), capture_output=True, text=True, check=True)
    return float(ran.stdout)


def seconds_to_start(folder: Path) -> tuple[float, float]:
    """Of an interpreter that does nothing, and of what it does for us on the way: reads and runs our `.pth`."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], cwd=folder, env=environment(on=False), check=True)
    whole = time.perf_counter() - began
    command = [sys.executable, "-c", START]
    ran = subprocess.run(command, cwd=folder, env=environment(on=False), capture_output=True, text=True, check=True)
    return whole, float(ran.stdout)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--modules", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        a_project(folder, arguments.modules)
        cold = [seconds_of_imports(folder, on) for on in (False, True)]
        rounds = [[seconds_of_imports(folder, on) for on in (False, True)] for _ in range(arguments.rounds)]
        starts = [seconds_to_start(folder) for _ in range(arguments.rounds)]
    plain, ours = map(statistics.median, zip(*rounds, strict=True))
    whole, own = map(statistics.median, zip(*starts, strict=True))
    table = Table("what", "plain", "ours", "ratio")
    imports = f"{arguments.modules} modules"
    table.add_row(f"{imports}, nothing cached", f"{cold[0]:.2f} s", f"{cold[1]:.2f} s", f"{cold[1] / cold[0]:.1f}")
    ratio = statistics.median(two / one for one, two in rounds)
    table.add_row(f"{imports}, cached", f"{plain * 1000:.0f} ms", f"{ours * 1000:.0f} ms", f"{ratio:.2f}")
    start = (f"{(whole - own) * 1000:.1f} ms", f"{whole * 1000:.1f} ms", f"{whole / (whole - own):.4f}")
    table.add_row("interpreter start, variable unset", *start)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
