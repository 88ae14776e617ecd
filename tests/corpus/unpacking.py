"""Programs: unpacking of all shapes."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def unpack_two(p):
    a, b = p.unpackable(2)
    return p.call("f", a, b)


def unpack_a_call(p):
    a, b = p.call("pair", 1, 2)
    (c, d), e = p.call("nested", (3, 4), 5)
    return a, b, c, d, e


def unpack_with_a_star(p):
    a, *b = p.unpackable(3)
    *c, d = p.unpackable(3)
    e, *f, g = p.unpackable(2)
    return a, b, c, d, e, f, g


def unpack_nested(p):
    a, (b, (c, *d)), [e] = p.iter([1, p.unpackable([2, p.unpackable([3, 4], "deep")], "middle"), p.unpackable([5], "last")])
    return a, b, c, d, e


def unpack_into_items_and_attributes(p):
    v = p.value([0, 0])
    v[p.call("i", 0)], v.name, v[1] = p.unpackable(3)
    return v, v.name


def unpack_wrong_length_is_handled(p):
    try:
        a, b = p.unpackable(3)
    except ValueError as error:
        return p.call("handled", str(error))
    return a, b


def unpack_list_and_tuple(p):
    a, b = [p.call("a"), p.call("b")]
    c, d, e, f = (p.call("c"), *p.iter(3))
    return a, b, c, d, e, f


def unpack_in_a_loop(p):
    seen = []
    for (a, b), c in p.iter([((1, 2), 3), (p.unpackable([4, 5]), 6)]):
        seen.append(p.call("body", a, b, c))
    return seen


def unpack_a_string_and_a_dict(p):
    a, b = "xy"
    c, d = {"k": p.call("v"), "l": 2}
    return p.call("f", a, b, c, d)


def unpack_to_the_same_name(p):
    x = y = p.call("x")
    x, x, y = p.unpackable(3)
    return x, y


def unpack_chain(p):
    a = b, c = d = p.call("pair", 1, 2)
    return a, b, c, d


def unpack_value(p):
    a, b = p.value([1, 2])
    (*c,) = p.value([3])
    return a, b, c
