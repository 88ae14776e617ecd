"""Random expressions: numbers and iterables of numbers, with effects at every level.

In: choices, and what may be written at the place. Out: source text.
Always true: evaluating it ends, and its value is a number (`number`) or an iterable of few numbers (`several`).
"""

from __future__ import annotations

from collections.abc import Callable

from sweep.random_choices import Choices, Where

Maker = Callable[[Choices, Where], str]


def number(c: Choices, w: Where) -> str:
    """An expression for a number."""
    if w.depth > 7 or c.below(5) < 2 or not c.spend():
        return str(c.one((call, call, name, literal))(c, w))
    return str(c.one(_numbers(w))(c, w.deeper()))


def several(c: Choices, w: Where) -> str:
    """An expression for something to iterate."""
    if w.depth > 7 or not c.spend():
        return str(c.one((iterator, numbers_from))(c, w))
    return str(c.one(_severals(w))(c, w.deeper()))


def call(c: Choices, w: Where) -> str:
    return f'p.call("{c.name("e")}")'


def literal(c: Choices, w: Where) -> str:
    return str(c.below(4))


def name(c: Choices, w: Where) -> str:
    return str(c.one(w.names))


def call_of_one(c: Choices, w: Where) -> str:
    return f'{c.one(("p.call", "p", "p.ccall"))}("{c.name("e")}", {number(c, w)})'


def call_of_many(c: Choices, w: Where) -> str:
    parts = [c.one((_positional, _starred, _keyword, _mapping))(c, w) for _ in range(1 + c.below(4))]
    order = sorted(parts, key=lambda part: "=" in part.split("(")[0] or part.startswith("**"))
    return f'pick(p.call("{c.name("e")}", {", ".join(order)}))'


def _positional(c: Choices, w: Where) -> str:
    return number(c, w)


def _starred(c: Choices, w: Where) -> str:
    return f"*{several(c, w)}"


def _keyword(c: Choices, w: Where) -> str:
    return f"{c.name('k')}={number(c, w)}"


def _mapping(c: Choices, w: Where) -> str:
    key = c.name("m")
    return f"**{c.one((f'p.mapping("{key}", {key}={number(c, w)})', f'{{"{key}": {number(c, w)}}}'))}"


def arithmetic(c: Choices, w: Where) -> str:
    return f"({number(c, w)} {c.one(('+', '-', '^', '|', '&'))} {number(c, w)})"


def arithmetic_of_values(c: Choices, w: Where) -> str:
    sign = c.one(("+", "-", "*", "<", "==", "^"))
    return f"raw(p.value({number(c, w)}) {sign} {c.one(('p.value({})', '{}')).format(number(c, w))})"


def unary(c: Choices, w: Where) -> str:
    return str(c.one(("(-{})", "(not {})", "raw(-p.value({}))", "(not p.value({}))"))).format(number(c, w))


def conditional(c: Choices, w: Where) -> str:
    test = c.one(("{}", "p.value({})", "not {}")).format(number(c, w))
    return f"({number(c, w)} if {test} else {number(c, w)})"


def boolean(c: Choices, w: Where) -> str:
    sign = c.one(("and", "or"))
    parts = [number(c, w) for _ in range(2 + c.below(2))]
    return "(" + f" {sign} ".join(parts) + ")"


def chained(c: Choices, w: Where) -> str:
    pattern = c.one(("({} < {} <= {})", "raw(p.value({}) < p.value({}) <= {})", "({} in [{}, {}])"))
    return str(pattern).format(number(c, w), number(c, w), number(c, w))


def walrus(c: Choices, w: Where) -> str:
    return f"({c.one('abc')} := {number(c, w)})" if w.walrus else call(c, w)


def lambda_call(c: Choices, w: Where) -> str:
    q = c.name("q")
    inner = w.deeper(kind="lambda", names=(*w.names, q), suspends=False, walrus=False)
    default = f", {q}d={number(c, w)}" if c.maybe() else ""
    return f"(lambda {q}{default}: {number(c, inner)})({number(c, w)})"


def formatted(c: Choices, w: Where) -> str:
    field = c.one(("{{ {} }}", "{{ {} !r}}", "{{p.value({})}}", "{{ {} :>{{p.call('w', 4)}}}}"))
    parts = [field.format(number(c, w)) for _ in range(1 + c.below(2))]
    return f'len(f"""x{"-".join(parts)}""")'


def reduced(c: Choices, w: Where) -> str:
    function = c.one(("sum({})", "len([*{}])", "max({}, default=0)", "len({{*{}}})", "pick(tuple({}))"))
    return str(function).format(several(c, w))


def display(c: Choices, w: Where) -> str:
    pattern = c.one(
        ("[{}, {}][0]", "({}, {})[1]", '{{"k": {}, "l": {}}}["l"]', "len({{{}, {}}})", "[{}, {}][:1][0]")
    )
    return str(pattern).format(number(c, w), number(c, w))


def item(c: Choices, w: Where) -> str:
    return str(c.one(("p.value([{}, 1])[0]", "xs[{} and 0]", 'd["k"] + {}', "o.y + {}"))).format(number(c, w))


def function_call(c: Choices, w: Where) -> str:
    arguments = c.one(("{}", "q={}", "*[{}]", '**{{"q": {}}}')).format(number(c, w))
    return f"{c.one(w.functions)}({arguments})" if w.functions else call_of_one(c, w)


def awaited(c: Choices, w: Where) -> str:
    if w.coroutines and c.maybe():
        return f"(await {c.one(w.coroutines)}({number(c, w)}))"
    return f'(await p.awaitable("{c.name("aw")}", {number(c, w)}))'


def driven(c: Choices, w: Where) -> str:
    return f"p.drive({c.one(w.coroutines)}({number(c, w)}))" if w.coroutines else call_of_one(c, w)


def yielded(c: Choices, w: Where) -> str:
    return f"((yield {number(c, w)}) or 0)"


def _for(c: Choices, w: Where, x: str, inner: Where, asynchronous: bool) -> str:
    outermost = w.deeper(walrus=False)
    if asynchronous:
        source = f'p.aiter({c.below(3)}, "{c.name("ai")}")'
        if w.async_generators and c.maybe():
            source = f"{c.one(w.async_generators)}({number(c, outermost)})"
        text = f"async for {x} in {source}"
    else:
        text = f"for {x} in {several(c, outermost)}"
    return f"{text} if {number(c, inner)}" if c.maybe() else text


def _clauses(c: Choices, w: Where, lazy: bool) -> tuple[str, Where]:
    """The `for` part of a comprehension and what its element may use."""
    names, clauses = w.names, []
    inner = w
    for level in range(1 + c.below(2)):
        x = c.name("x")
        names = (*names, x)
        within = inner.deeper(
            names=names[:-1], suspends=w.awaits and not lazy, kind=_comprehension_kind(w, lazy)
        )
        inner = inner.deeper(
            names=names,
            suspends=w.awaits and not lazy,
            kind=_comprehension_kind(w, lazy),
            walrus=w.walrus and w.kind not in ("class",),
        )
        asynchronous = w.awaits and not lazy and c.maybe()
        clauses.append(_for(c, w if level == 0 else within, x, inner, asynchronous))
    return " ".join(clauses), inner


def _comprehension_kind(w: Where, lazy: bool) -> str:
    return "async" if w.awaits and not lazy else "lambda"


def list_of(c: Choices, w: Where) -> str:
    clauses, inner = _clauses(c, w, False)
    return f"[{number(c, inner)} {clauses}]"


def set_or_dict_of(c: Choices, w: Where) -> str:
    clauses, inner = _clauses(c, w, False)
    element = c.one(("{}", "{}: p.call('v')")).format(number(c, inner))
    return f"sorted({{{element} {clauses}}})"


def lazy(c: Choices, w: Where) -> str:
    clauses, inner = _clauses(c, w, True)
    return f"({number(c, inner)} {clauses})"


def iterator(c: Choices, w: Where) -> str:
    return f'{c.one(("p.iter", "p.iterable", "p.citer"))}({c.below(3)}, "{c.name("it")}")'


def numbers_from(c: Choices, w: Where) -> str:
    return str(c.one((f"range({c.below(3)})", "xs[:]")))


def list_display(c: Choices, w: Where) -> str:
    parts = [c.one(("{}", "*p.iter([{}])", "*[{}]")).format(number(c, w)) for _ in range(1 + c.below(3))]
    return f"{c.one(('[{}]', '({},)', '[*({},)]'))}".format(", ".join(parts))


def from_generator(c: Choices, w: Where) -> str:
    return f"{c.one(w.generators)}({number(c, w)})" if w.generators else iterator(c, w)


def through_c(c: Choices, w: Where) -> str:
    if w.functions and c.maybe():
        return f"map({c.one(w.functions)}, {several(c, w)})"
    pattern = c.one(
        (
            "sorted({})",
            "list({})",
            "tuple({})",
            "[*{}]",
            "filter(None, {})",
            "sorted({}, key=lambda q: p.call('key', -q))",
        )
    )
    return str(pattern).format(several(c, w))


def chosen(c: Choices, w: Where) -> str:
    return f"({several(c, w)} if {number(c, w)} else {several(c, w)})"


def _numbers(w: Where) -> tuple[Maker, ...]:
    makers: tuple[Maker, ...] = (
        call, name, call_of_one, arithmetic, conditional, boolean, chained, call_of_many, unary, display,
        arithmetic_of_values, item, walrus, formatted, reduced, reduced, lambda_call,
    )  # fmt: skip
    makers += (function_call,) * (2 if w.functions else 0)
    makers += (driven,) * (1 if w.coroutines else 0)
    makers += (awaited,) * (4 if w.awaits else 0)
    makers += (yielded,) * (3 if w.yields else 0)
    return makers


def _severals(w: Where) -> tuple[Maker, ...]:
    makers: tuple[Maker, ...] = (
        iterator,
        numbers_from,
        list_display,
        list_of,
        lazy,
        set_or_dict_of,
        through_c,
        chosen,
    )
    return makers + (from_generator,) * (3 if w.generators else 0)
