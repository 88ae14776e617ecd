"""Random statements that hold no other statements: assignments of all kinds, unpacking, del, assert.

In: choices, and what may be written at the place. Out: lines of source text.
Always true: they need nothing but the names a, b, c, xs, d, o and p, and leave numbers in them.
"""

from __future__ import annotations

from collections.abc import Callable

from sweep.random_choices import Choices, Where
from sweep.random_expressions import number

Lines = list[str]
Maker = Callable[[Choices, Where], Lines]


def plain(c: Choices, w: Where) -> Lines:
    return [number(c, w)]


def assign(c: Choices, w: Where) -> Lines:
    return [f"{c.one(('a', 'b', 'c', 'a = b', 'xs[0]', 'd["k"]', 'o.y'))} = {number(c, w)}"]


def assign_to_place(c: Choices, w: Where) -> Lines:
    target = c.one(("xs[{} and 0]", "d[{}]", "p.value({}).y", "p.value([{}, 1])[0]", "xs[:{} and 0]"))
    value = f"[{number(c, w)}]" if ":" in target else number(c, w)
    return [f"{target.format(number(c, w))} = {value}"]


def augment(c: Choices, w: Where) -> Lines:
    target = c.one(
        ("a", "b", "xs[0]", 'd["k"]', "o.y", "xs[{0} and 0]", "p.value([{0}, 1])[0]", "p.value({0}, y=1).y")
    )
    return [
        f"{target.format(number(c, w)) if '{' in target else target} {c.one(('+=', '-=', '|='))} {number(c, w)}"
    ]


def augment_value(c: Choices, w: Where) -> Lines:
    v = c.name("v")
    return [f"{v} = p.value({number(c, w)})", f"{v} += {number(c, w)}", f"a = raw({v})"]


def unpack(c: Choices, w: Where) -> Lines:
    pattern = c.one(
        (
            "a, b = {}, {}",
            "(a, (b, c)) = {}, ({}, 1)",
            "a, *rest = [{}, *p.iter([{}])]",
            "a, b = p.iter([{}, {}])",
            "*rest, a = p.iterable([{}, {}])",
            'xs[0], d["k"] = {}, {}',
            "a = b, c = {}, {}\na = b",
            "a, b, c = b, {}, {}",
        )
    )
    return str(pattern).format(number(c, w), number(c, w)).split("\n")


def delete(c: Choices, w: Where) -> Lines:
    t = c.name("t")
    pattern = c.one(
        (
            "{t} = {}\ndel {t}",
            'd["t"] = {}\ndel d["t"]',
            "{t} = [{}]\ndel {t}[0]",
            "{t} = p.value([{}])\ndel {t}[0]",
            "{t} = p.value(1, y={})\ndel {t}.y, {t}",
        )
    )
    return str(pattern).format(number(c, w), t=t).split("\n")


def asserted(c: Choices, w: Where) -> Lines:
    return [f"assert [{number(c, w)}], {number(c, w)}"]


SIMPLE: tuple[Maker, ...] = (plain, assign, augment, unpack, assign_to_place, augment_value, delete, asserted)
