"""Programs: operators of user classes, subscripts, attributes, comparisons, truth."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def arithmetic(p):
    a, b = p.value(7), p.value(2)
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, a << b, a >> b, a & b, a | b, a ^ b, a @ b


def arithmetic_with_constants(p):
    a = p.value(7)
    return 1 + a, a + 1, 2 - a, a * 3, (a + 1) * (a - 1), -a, +a, ~a


def arithmetic_feeds_a_call(p):
    a, b = p.value(3), p.value(4)
    return p.call("f", a + b, p.call("x"), a * b - 1)


def comparison_of_values(p):
    a, b = p.value(1), p.value(2)
    return a < b, a <= b, a == b, a != b, a > b, a >= b, a is b, a is not b


def membership(p):
    v = p.value([1, 2])
    return 1 in v, 3 not in v, p.call("x") in v, p.call("f", 2 in v)


def truth_of_values(p):
    v, w = p.value(1), p.value(0)
    out = []
    if v:
        out.append(p.call("then"))
    if w:
        out.append(p.call("never"))
    elif not w:
        out.append(p.call("elif"))
    else:
        out.append(p.call("never"))
    return out


def subscripts(p):
    v = p.value([1, 2, 3, 4])
    return v[0], v[1:2], v[::2], v[p.call("at")], v[-1] + v[0]


def subscripts_of_values_by_values(p):
    table = [10, 20, 30]
    at = p.value(1)
    return table[at], table[at:], table[:at], "abc"[at]


def subscript_of_a_tuple_key(p):
    v = p.value({(1, 2): 3})
    v[1, 3] = p.call("x")
    return v[1, 2], v[1, 3]


def subscript_feeds_a_call(p):
    v = p.value([5, 6, 7])
    return p.call("step", v[p.call("i")] * p.value(2))


def attributes(p):
    v = p.value(0, a=1, b=p.value(2, c=3))
    return v.a, v.b.c, v.a + v.b.c, p.call("f", v.a)


def attribute_stores_and_deletes(p):
    v = p.value(0, gone=1)
    v.a = p.call("x")
    v.b = v.c = p.call("y")
    del v.gone
    return v.a, v.b, v.c


def item_stores_and_deletes(p):
    v = p.value([0, 1, 2, 3, 4])
    v[p.call("i")] = p.call("x")
    v[1:2] = [p.call("y")]
    del v[p.call("k", 0)]
    del v[0:1]
    return v


def multiple_targets(p):
    a, b = [0, 0, 0, 0, 0, 0], p.value([0, 0, 0, 0, 0, 0])
    a[p.call("i")] = b[p.call("j")] = x = p.call("k")
    return a, b, x


def chained_stores_of_items(p):
    v = p.value([0] * 9)
    v[0], v[1] = p.call("a"), p.call("b")
    v[p.call("i")], v.name = v[p.call("j")], p.call("c")
    return v, v.name


def formatted_and_converted(p):
    v = p.value(5)
    return str(v), repr(v), format(v, "03"), f"{v}", "%s" % v, int(p.call("x", "3"))


def hashes_in_displays(p):
    a, b = p.value(1), p.value(2)
    return len({a: 1, b: 2}), len({a, b}), {a: p.call("x")}[a]


def index_in_slices_and_range(p):
    v = p.value(2)
    return list(range(v)), [1, 2, 3][v], [1, 2, 3][:v], bytes(v)


def is_none_tests(p):
    x = p.call("x", None)
    out = []
    if x is None:
        out.append(p.call("none"))
    if p.call("y") is not None:
        out.append(p.call("not none"))
    return out


def swap_and_rotate(p):
    a, b, c = p.call("a"), p.call("b"), p.call("c")
    a, b = b, a
    a, b, c = c, a, p.call("d")
    return a, b, c
