"""What a crash costs: from the raise to the failing instruction running again, and ten thousand times in one
loop.

Always true: what fails is never protected, so the crash is at the call of it; it notes when it raised and
when it was called again. The policy that decides does nothing but say Retry.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from perf.long_functions import long_function
from perf.subject import STUB, Function, protect, retry_always
from perf.twins import Program, namespace_of


class Boom:
    """Raises when it is called for the first time, and measures how long the second call was in coming."""

    def __init__(self) -> None:
        self.raised = 0.0
        self.seconds = 0.0

    def __call__(self) -> None:
        if not self.raised:
            self.raised = time.perf_counter()
            raise OSError("the first time")
        self.seconds = time.perf_counter() - self.raised


def protected_function(program: Program) -> Function:
    """The program's function, protected and retried."""
    if STUB:
        raise NotImplementedError("the stub recovers nothing")
    subject: Function = namespace_of(program)["subject"]
    return protect(subject, retry_always)


def seconds_to_resume(function: Function) -> float:
    """Crash it once."""
    boom = Boom()
    function(boom)
    return boom.seconds


@cache
def first_and_later(statements: int, functions: int, later: int) -> tuple[list[float], list[float]]:
    """Seconds from the raise to the call running again: in first crashes of functions, and in later ones."""
    seconds_to_resume(protected_function(long_function(5)))  # imports
    first, again = [], []
    for _ in range(functions):
        function = protected_function(long_function(statements))
        first.append(seconds_to_resume(function))
        again += [seconds_to_resume(function) for _ in range(later)]
    return first, again


def seconds_to_protect(statements: int) -> float:
    """Protect one fresh function."""
    subject = namespace_of(long_function(statements))["subject"]
    start = time.perf_counter()
    protect(subject, retry_always)
    return time.perf_counter() - start


LOOP = Program(
    "many recoveries",
    """
    def subject(step, iterations):
        for i in range(iterations):
            step(i)
        return i
    """,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How things stand in the middle of a recovery."""

    recovery: int
    seconds: float  # of time.perf_counter()
    resident: int  # bytes
    stack: int  # Python frames
    c_stack: int  # bytes; 0 where it cannot be told


class FailsOnce:
    """A step that fails once for each item, and notes how things stand at every `every`-th."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.failed = -1
        self.marks: list[Mark] = []

    def __call__(self, item: int) -> None:
        if item != self.failed:
            self.failed = item
            raise OSError("the first time")
        if item % self.every == 0:
            self.marks.append(mark(item))


def mark(recovery: int) -> Mark:
    return Mark(recovery, time.perf_counter(), resident_bytes(), python_frames(), c_stack_bytes())


def recover(recoveries: int, every: int) -> list[Mark]:
    """That many recoveries in one loop."""
    step: Any = FailsOnce(every)
    function = protected_function(LOOP)
    function(step, recoveries + 1)
    marks: list[Mark] = step.marks
    return marks


def python_frames() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def resident_bytes() -> int:
    """Memory of this process; where the system does not tell, the most that it ever was."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource  # not on every system either

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def c_stack_bytes() -> int:
    """The main thread's stack, as far as it was ever used."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmStk:")), 0)
