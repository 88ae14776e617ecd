"""Programs that may kill the interpreter run in one of their own.

In: the text of a program. Out: its exit status (negative: killed by that signal) and what it printed.
Always true: the program imports the same daifu_bc as the test, and no core file is left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import daifu_bc

ROOT = Path(daifu_bc.__file__).parent.parent
NO_CORE = """
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
"""


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    status: int
    output: str

    @property
    def killed(self):
        """Did it end otherwise than by itself?"""
        return self.status < 0 or self.status > 2

    def __str__(self):
        return f"exit status {self.status}\n{self.output}"


def run(text, *arguments, timeout=60):
    """Run the program `text`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": ""}
    done = subprocess.run(
        [sys.executable, "-c", NO_CORE + textwrap.dedent(text), *map(str, arguments)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )
    return Ended(done.returncode, done.stdout)
