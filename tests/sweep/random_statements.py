"""Random statements and functions, with effects at every level.

In: choices, and what may be written at the place. Out: lines of source text.
Always true: they end: loops run over few items or count up to two; functions call only functions that were
complete before them.
"""

from __future__ import annotations

from dataclasses import replace

from sweep.random_choices import Choices, Where
from sweep.random_expressions import number, several
from sweep.random_simple import SIMPLE, Lines, Maker


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


def block(c: Choices, w: Where) -> Lines:
    """An indented block; functions that it defines are known to what follows in it."""
    return indented(sequence(c, w.deeper()))


def sequence(c: Choices, w: Where, at_most: int = 3) -> Lines:
    """One to some statements."""
    lines: Lines = []
    for _ in range(1 + c.below(at_most)):
        if w.depth < 6 and w.kind != "class" and c.fuel > 3 and c.below(8) == 7:
            definition, w = c.one((function, generator, coroutine, async_generator, nested_class))(c, w)
            lines += definition
        lines += statement(c, w)
        if lines[-1].split()[0] in ("return", "break", "continue", "raise"):
            break
    return lines


def statement(c: Choices, w: Where) -> Lines:
    """One statement."""
    if w.depth > 6 or not c.spend():
        return [number(c, w)]
    makers: tuple[Maker, ...] = SIMPLE + (COMPOUND if c.fuel > 0 else ())
    makers += (leave,) if w.returns or w.raises or w.loop else ()
    makers += (yield_one, yield_from) if w.kind == "gen" else ()
    makers += (yield_one,) if w.kind == "agen" else ()
    makers += (async_for, async_with) if w.awaits else ()
    makers += (by_hand,) if w.generators else ()
    return list(c.one(makers)(c, w))


def branch(c: Choices, w: Where) -> Lines:
    lines = [f"if {number(c, w)}:", *block(c, w)]
    if c.maybe():
        lines += [f"elif {number(c, w)}:", *block(c, w)]
    return lines + (["else:", *block(c, w)] if c.maybe() else [])


def for_loop(c: Choices, w: Where) -> Lines:
    x = c.name("x")
    inside = w.deeper(loop=True, names=(*w.names, x))
    header = f"for {x} in {several(c, w)}:"
    if c.maybe():
        header = f"for {x}u, {x} in enumerate({several(c, w)}):"
    lines = [header, *block(c, inside)]
    return lines + (["else:", *block(c, w)] if c.maybe() else [])


def while_loop(c: Choices, w: Where) -> Lines:
    n = c.name("n")
    inside = w.deeper(loop=True)
    if w.walrus and c.maybe():
        lines = [f"{n} = 0", f"while ({n} := {n} + 1) < 3 and [{number(c, w)}]:", *block(c, inside)]
    else:
        test = c.one((f"{n} < 2", f"p.value({n}) < 2"))
        lines = [f"{n} = 0", f"while {test}:", f"    {n} += 1", *block(c, inside)]
    return lines + (["else:", *block(c, w)] if c.maybe() else [])


def with_block(c: Choices, w: Where) -> Lines:
    items = ", ".join(_item(c, w, "p.manager") for _ in range(1 + c.below(3)))
    return [f"with {items}:", *block(c, w)]


def _item(c: Choices, w: Where, maker: str) -> str:
    m = c.name("m")
    return f'{maker}("{m}")' + c.one(("", f" as {m}"))


def swallowing(c: Choices, w: Where) -> Lines:
    return [f'with p.swallower("{c.name("s")}"):', *block(c, w)] if w.broad else with_block(c, w)


def try_block(c: Choices, w: Where) -> Lines:
    body = block(c, w)
    if c.maybe() and not body[-1].split()[0].startswith(("return", "break", "continue", "raise")):
        body += [f"    raise {_error(c)}({number(c, w)})"]
    lines = ["try:", *body]
    handlers = c.below(3)
    for _ in range(handlers):
        lines += _handler(c, w, "except")
    if handlers and c.maybe():
        lines += ["else:", *block(c, w)]
    if not handlers or c.maybe():
        lines += ["finally:", *block(c, _last(w))]
    return lines


def _last(w: Where) -> Where:
    """The place in a `finally`: what leaves it would swallow what the sweep injects."""
    return replace(w, returns=False, loop=False, raises=False)


def _error(c: Choices) -> str:
    return str(c.one(("ValueError", "KeyError", "LookupError")))


def _handler(c: Choices, w: Where, word: str) -> Lines:
    types = ["ValueError", "LookupError", "(ValueError, KeyError)"]
    types += ["RuntimeError", "Exception"] if w.broad else []
    e = c.name("err")
    inside = w.deeper(
        handler=word == "except", returns=w.returns and word == "except", loop=w.loop and word == "except"
    )
    body = block(c, inside)
    return [f"{word} {c.one(types)}{c.one(('', f' as {e}'))}:", *body]


def try_star(c: Choices, w: Where) -> Lines:
    raised = c.one(("ValueError({})", "ExceptionGroup('g', [ValueError({}), KeyError(1)])"))
    lines = ["try:", *block(c, w), f"    raise {raised.format(number(c, w))}", *_handler(c, w, "except*")]
    lines += _handler(c, w, "except*") if c.maybe() else []
    return lines + (["finally:", *block(c, _last(w))] if c.maybe() else [])


def match_on(c: Choices, w: Where) -> Lines:
    subject = c.one(
        ("{0}", "({0}, {1})", "[{0}, *p.iter([{1}])]", '{{"k": {0}, "l": {1}}}', "p.record({0}, {1})")
    )
    z = c.name("z")
    lines = [f"match {subject.format(number(c, w), number(c, w))}:"]
    patterns = (
        "1",
        f"({z}, 1)",
        f"[{z}, *_]",
        f'{{"k": {z}, **rest}}',
        f"p.Record(1, {z})",
        f"int() as {z}",
        "0 | 2",
    )
    for _ in range(1 + c.below(2)):
        guard = f" if {number(c, w)}" if c.maybe() else ""
        lines += indented([f"case {c.one(patterns)}{guard}:", *block(c, w)])
    return lines + (indented(["case _:", *block(c, w)]) if c.maybe() else [])


def leave(c: Choices, w: Where) -> Lines:
    options = ["return" if w.kind == "agen" else "return {}"] if w.returns else []
    options += ["break", "continue"] if w.loop else []
    options += ["raise"] if w.handler and w.raises else []
    options += ["raise ValueError({})", "raise KeyError from ValueError({})"] if w.raises else []
    return [c.one(options).format(number(c, w))]


def yield_one(c: Choices, w: Where) -> Lines:
    return [f"a = (yield {number(c, w)}) or 0"]


def yield_from(c: Choices, w: Where) -> Lines:
    return [f"yield from {several(c, w)}"]


def async_for(c: Choices, w: Where) -> Lines:
    x = c.name("x")
    source = f'p.aiter({c.below(3)}, "{c.name("ai")}")'
    if w.async_generators and c.maybe():
        source = f"{c.one(w.async_generators)}({number(c, w)})"
    lines = [f"async for {x} in {source}:", *block(c, w.deeper(loop=True, names=(*w.names, x)))]
    return lines + (["else:", *block(c, w)] if c.maybe() else [])


def async_with(c: Choices, w: Where) -> Lines:
    items = ", ".join(_item(c, w, "Managed") for _ in range(1 + c.below(2)))
    return [f"async with {items}:", *block(c, w)]


def by_hand(c: Choices, w: Where) -> Lines:
    g = c.name("g")
    pattern = c.one(
        (
            "a = next({g}, 0)",
            "a = next({g}, 0)\n{g}.close()",
            "try:\n    next({g})\n    a = {g}.send({n}) or 0\nexcept StopIteration as stop:\n    b = pick(stop.args)",
            "try:\n    next({g})\n    a = {g}.throw(ValueError({n})) or 0\nexcept (StopIteration, ValueError):\n    {n}",  # noqa: E501
        )
    )
    return [f"{g} = {c.one(w.generators)}({number(c, w)})", *pattern.format(g=g, n=number(c, w)).split("\n")]


def _inside(c: Choices, w: Where, kind: str) -> tuple[Lines, Where]:
    """How the names a, b, c come into a function, and what may be written in it."""
    inner = w.deeper(
        kind=kind,
        loop=False,
        returns=True,
        raises=True,
        handler=False,
        walrus=True,
        suspends=True,
        names=("a", "b", "c", "q"),
    )
    own = ["a, b, c = q, 1, 2"]
    shared = ["nonlocal a, b, c"] if w.kind != "class" else own
    return list(c.one((own, shared, ["nonlocal b", "a = c = q"] if w.kind != "class" else own))), inner


def _body(c: Choices, w: Where, kind: str) -> Lines:
    first, inner = _inside(c, w, kind)
    return indented(first + sequence(c, inner))


def _signature(c: Choices, w: Where) -> str:
    return str(c.one(("q", "q, r={}", "q, *, r={}", "q=0, *r"))).format(number(c, w))


def function(c: Choices, w: Where) -> tuple[Lines, Where]:
    f = c.name("f")
    body = _body(c, w, "def") + [
        f"    return {number(c, w.deeper(kind='def', names=('a', 'b', 'c', 'q'), suspends=False))}"
    ]
    decorators = [f'@p.decorator("{f}")'] if c.maybe() else []
    return [*decorators, f"def {f}({_signature(c, w)}):", *body], replace(w, functions=(*w.functions, f))


def generator(c: Choices, w: Where) -> tuple[Lines, Where]:
    g = c.name("gen")
    lines = [f"def {g}({_signature(c, w)}):", *_body(c, w, "gen"), "    yield p.call('last')"]
    return lines, replace(w, generators=(*w.generators, g))


def coroutine(c: Choices, w: Where) -> tuple[Lines, Where]:
    f = c.name("co")
    lines = [f"async def {f}({_signature(c, w)}):", *_body(c, w, "async"), "    return a"]
    return lines, replace(w, coroutines=(*w.coroutines, f))


def async_generator(c: Choices, w: Where) -> tuple[Lines, Where]:
    f = c.name("ag")
    lines = [f"async def {f}({_signature(c, w)}):", *_body(c, w, "agen"), "    yield p.call('last')"]
    return lines, replace(w, async_generators=(*w.async_generators, f))


def nested_class(c: Choices, w: Where) -> tuple[Lines, Where]:
    k, f = c.name("K"), c.name("f")
    inside = w.deeper(
        kind="class", walrus=False, loop=False, returns=False, raises=False, handler=False, suspends=False
    )
    method = [f"def method(self, q, r={number(c, inside)}):", *_body(c, inside, "def"), "    return a"]
    lines = [f"class {k}:", *indented([f"x = {number(c, inside)}", *class_body(c, inside), *method])]
    return [*lines, f"{f} = {k}().method"], replace(w, functions=(*w.functions, f))


def class_body(c: Choices, w: Where) -> Lines:
    """Statements of a class body that store only names of the class."""
    maker = c.one((lambda c, w: [], lambda c, w: [f"y = {number(c, w)}"], _class_loop, _class_with))
    return list(maker(c, w))


def _class_loop(c: Choices, w: Where) -> Lines:
    return [f"for z in {several(c, w)}:", f"    y = {number(c, w)}"]


def _class_with(c: Choices, w: Where) -> Lines:
    return [f'with p.manager("{c.name("m")}") as y:', f"    z = {number(c, w)}"]


COMPOUND: tuple[Maker, ...] = (
    branch,
    for_loop,
    with_block,
    try_block,
    while_loop,
    try_star,
    match_on,
    swallowing,
) * 2
