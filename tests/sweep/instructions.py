"""Which points of a program lie inside an instruction that already had one: `a, b = it` asks three times.

In: a program. Out: the points that are not the first of their instruction (or of one call of code that is not
protected). Always true: found by running the unprotected program once and counting its instructions.

A retry runs the failing instruction again as a whole, and nothing of it survives its failure. At these points
a run may therefore repeat what the instruction did before, or be refused; both are listed, no fault.
"""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from sweep.collect import Declared
from sweep.effects import Point
from sweep.outcome import observe
from sweep.program import Program


class Counting(Program):
    """Notes how many instructions of the program had begun at each point."""

    def __init__(self, codes: frozenset[CodeType]) -> None:
        super().__init__()
        self.codes = codes
        self.begun = 0
        self.at: list[int] = []

    def point(self, kind: str, what: str) -> None:
        """As ever, and the number of instructions so far."""
        self.at.append(self.begun)
        super().point(kind, what)

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        """A trace function that counts instructions of the program."""
        if frame.f_code not in self.codes:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.begun += 1
        return self.trace


@dataclass(frozen=True, slots=True)
class Inside:
    """Points of instructions that have several: the later ones, and the first ones."""

    later: frozenset[Point]
    first: frozenset[Point]


def inside(program: Declared) -> Inside:
    """Points that share their instruction with others; a large program has none (to trace it takes a minute)."""
    if program.large:
        return Inside(frozenset(), frozenset())
    p = Counting(protected_codes(program))
    before = sys.gettrace()
    threading.settrace(p.trace)
    sys.settrace(p.trace)
    try:
        observe(program.copy(), p)
    finally:
        sys.settrace(before)
        threading.settrace(None)
    points = [point for point, _ in p.points]
    later = frozenset(
        point for point, at, last in zip(points, p.at, [None, *p.at], strict=False) if at == last
    )
    first = frozenset(point for point, at, then in zip(points, p.at, p.at[1:], strict=False) if at == then)
    return Inside(later, first - later)


def protected_codes(program: Declared) -> frozenset[CodeType]:
    """The code objects that are protected with the program."""
    if program.scope == "module":
        functions = [value for value in program.function.__globals__.values() if hasattr(value, "__dict__")]
        roots = [code for value in functions for code in _codes_of(value)]
    else:
        roots = [program.function.__code__]
    found: list[CodeType] = []
    while roots:
        code = roots.pop()
        found.append(code)
        roots += [const for const in code.co_consts if isinstance(const, CodeType)]
    return frozenset(found)


def _codes_of(value: Any) -> list[CodeType]:
    members = (
        list(vars(value).values())
        if isinstance(value, type)
        else [value, getattr(value, "__wrapped__", None)]
    )
    return [member.__code__ for member in members if hasattr(member, "__code__")]
