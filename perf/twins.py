"""Twins: the same text run twice, what it defines protected in one and plain in the other.

In: a program's text. It defines `subject`, the function to protect, and may define `workload(subject)`, which
is never protected and returns what is timed (a function without parameters; by default `subject` itself).
Always true: twins share no code object, so neither's inline caches see the other's functions.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from perf.subject import Function, protect

_serial = itertools.count()


@dataclass(frozen=True, slots=True)
class Program:
    """A text to measure."""

    what: str  # for the table
    text: str
    target: float | None = None  # protected / plain at most; None: shown, not judged
    change: Callable[[Function], Function] = protect  # what makes the protected twin differ


def namespace_of(program: Program) -> dict[str, Any]:
    """The names that the text defines. Its source can be looked up, as that of a file could."""
    text = dedent(program.text).lstrip("\n")
    filename = f"<{program.what} #{next(_serial)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "perf_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace


def workload_of(program: Program, protected: bool) -> Callable[[], object]:
    """One twin, ready to be timed."""
    namespace = namespace_of(program)
    subject: Function = namespace["subject"]
    if protected:
        subject = program.change(subject)
    made: Callable[[], object] = namespace["workload"](subject) if "workload" in namespace else subject
    return made
