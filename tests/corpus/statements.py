"""Programs: del, pass, return of all shapes, docstrings, bare expressions, long functions."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def delete_forms(p):
    a = p.call("a")
    b = [1, 2, 3]
    v = p.value({"k": 1}, attribute=2)
    del a
    del b[p.call("at", 0)], v["k"], v.attribute
    del (b[0], b)
    try:
        return a
    except UnboundLocalError:
        return p.call("unbound")


def bare_expressions(p):
    """A docstring."""
    p.call("alone")
    v = p.value(1)
    v + 1
    v.x if p.call("test", False) else v
    ...
    [p.call("x"), v]
    v < 2 and p.call("and")
    return None


def returns_nothing(p):
    p.call("body")


def returns_early(p):
    if p.call("test", True):
        return p.call("early")
    return p.call("late")


def returns_a_tuple_of_calls(p):
    return p.call("a"), *p.iter(2), p.call("b")


def if_elif_else_chain(p):
    out = []
    for x in p.iter(4):
        if p.call("zero", x == 0):
            out.append("zero")
        elif p.call("one", x == 1):
            out.append(p.call("is one"))
        elif x == 2 and p.call("two", True):
            out.append("two")
        else:
            out.append(p.call("else"))
    return out


def several_statements_on_a_line(p):
    a = p.call("a"); b = p.call("b"); c = a + b
    for x in p.iter(2): p.call("body", x); a += 1
    if a: b = p.call("then")
    return a, b, c


def conditional_binding(p):
    if p.call("test", False):
        x = p.call("never")
    for y in p.iter(0):
        x = p.call("never")
    try:
        return x
    except UnboundLocalError:
        x = p.call("bound")
    return x


def global_lookups(p):
    return len(str(p.call("x"))), abs(p.call("y")), isinstance(p, object), __name__.startswith("corpus")


def unbound_until_late(p):
    for x in p.iter(2):
        if x == 0:
            first = p.call("first")
        else:
            second = p.call("second", first)
    return first, second


def type_alias_and_annotations(p):
    x: int = p.call("x")
    y: "str"
    z: list[int]
    z = [p.call("z")]
    return x, z


def nested_conditionals(p):
    a, b = p.value(1), p.value(0)
    return (p.call("x") if a else p.call("y")) if p.call("t", True) else (p.call("z") if b else p.call("w")), (1 if b else 2 if a else 3)


def star_assignment_and_chains(p):
    (a, b), c = d = p.call("pair", (1, 2), 3)
    [e, *f] = [*d, p.call("x")]
    return a, b, c, d, e, f
