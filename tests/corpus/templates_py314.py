"""Programs: template strings, except without parentheses, deferred annotations (Python 3.14)."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def template_string(p):
    v = p.value(5)
    t = t"a{p.call('x')}b{v!r:>{p.call('w', 4)}}c{v + 1}"
    return t.strings, [i.value for i in t.interpolations], [i.format_spec for i in t.interpolations]


def template_string_as_an_argument(p):
    return p.call("f", p.call("a"), list(t"{p.call('b')}{p.call('c')}")[0].value)


def except_without_parentheses(p):
    try:
        raise ValueError(p.call("message"))
    except TypeError, ValueError:
        return p.call("handled")


def annotations_are_read_late(p):
    class C:
        a: p.call("annotation", int) = p.call("a")

    def f(x: p.call("argument", str)):
        return p.call("f", x)

    return f(p.call("x")), C.__annotations__, f.__annotations__
