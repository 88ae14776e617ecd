"""A Hypothesis strategy for whole programs.

In: nothing. Out: a `Drawn`: source text of a function `program(p)`, and what it is run with.
Always true: the text compiles on every Python that daifu_bc knows, and running it ends.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from sweep.random_choices import Choices, Where
from sweep.random_expressions import number
from sweep.random_statements import (
    async_generator,
    coroutine,
    function,
    generator,
    indented,
    nested_class,
    sequence,
)

PRELUDE = """\
def pick(values):
    return values[0] if isinstance(values, tuple) and values else 0 if values == () else values

def raw(value):
    return vars(value)["_x"] if hasattr(value, "_show") else value

"""
# `async with` over coroutines that are protected along with the program: each of their steps can be retried.
MANAGED = """\
class Managed:
    def __init__(self, name):
        self.name = name
    async def __aenter__(self):
        return await p.awaitable("aenter " + self.name, 1)
    async def __aexit__(self, kind, error, traceback):
        await p.awaitable("aexit " + self.name + str(kind and kind.__name__))
"""
FUEL = 24


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program to run, and with which `keep`."""

    source: str
    keep: str
    seed: int

    def __repr__(self) -> str:
        return f"keep={self.keep} seed={self.seed}\n{self.source}"


@functools.cache
def _below(limit: int) -> st.SearchStrategy[int]:
    return st.integers(0, limit - 1)


@st.composite
def programs(draw: Any, fuel: int = FUEL) -> Drawn:
    """Programs of up to about `fuel` constructs."""
    return write(lambda limit: draw(_below(limit)), fuel)


def write(draw: Callable[[int], int], fuel: int = FUEL) -> Drawn:
    """The program that these numbers stand for."""
    c = Choices(draw, 1 + draw(fuel))
    w = Where(broad=c.below(3) == 2)
    lines = ["a, b, c = 1, 0, 2", "xs, d, o = [3, 1], {'k': 1}, p.value(1, y=2)"]
    for _ in range(c.below(3)):
        definition, w = c.one((function, generator, coroutine, nested_class, async_generator))(c, w)
        lines += definition
    lines += sequence(c, w, 4) + _used(c, w)
    lines += [f"return a, b, c, xs, d, {number(c, w)}"]
    if any("Managed(" in line for line in lines):
        lines = [*MANAGED.splitlines(), *lines]
    source = "\n".join(["def program(p):", *indented(lines)]) + "\n"
    return Drawn(source, ("calls", "all")[c.below(2)], c.below(1000))


def _used(c: Choices, w: Where) -> list[str]:
    """Each function is called at the end: otherwise most would not run."""
    lines = [f"a = {f}({number(c, w)})" for f in w.functions]
    lines += [f"b = sum({g}({number(c, w)}))" for g in w.generators]
    lines += [f"c = p.drive({f}({number(c, w)}))" for f in w.coroutines]
    for f in w.async_generators:
        lines += ["async def all_of(items):", "    return [x async for x in items]"]
        lines += [f"xs += p.drive(all_of({f}({number(c, w)})))"]
    return lines
