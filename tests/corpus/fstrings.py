"""Programs: f-strings: conversions, specifications, nesting, calls in them."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def fstring_with_calls(p):
    return f"a{p.call('a')}b{p.call('b')}c{p.call('c')}"


def fstring_with_values(p):
    v = p.value(5)
    return f"{v}{v!r}{v!s}{v:03}{v + 1}{v=}"


def fstring_with_nested_specification(p):
    v = p.value(3.14159)
    return f"{v:{p.call('width', 8)}.{p.call('precision', 2)}f}|{p.call('x')!r:>{p.call('w', 5)}}"


def fstring_feeds_a_call(p):
    v = p.value("v")
    return p.call("f", f"{v}-{p.call('x')}", f"{p.call('y')}{v}")


def fstring_on_several_lines(p):
    return (
        f"{p.call('a')}"
        f"{p.call('b')}"
        "plain"
        f"{p.call('c', 'x'):>{p.call('d')}}"
    )


def fstring_nested(p):
    return f"{p.call('outer', f'{p.call("inner")}+{p.value(1)}')}"


def percent_and_format_method(p):
    v = p.value(7)
    return "%s %s" % (p.call("a"), v), "{} {}".format(v, p.call("b")), "-".join([str(p.call("c")), str(v)])


def fstring_with_conditional(p):
    return f"{p.call('yes') if p.call('test', True) else p.call('no')}{[p.call('c', x) for x in p.iter(2)]}"
