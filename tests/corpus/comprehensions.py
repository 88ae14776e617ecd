"""Programs: comprehensions of all kinds, inlined and not, with half-built containers."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def list_comprehension(p):
    return [p.call("body", x) for x in p.iter(3)]


def list_comprehension_over_a_call(p):
    it = p.iter(4)
    return [p.call("step", next(it)) for _ in range(p.call("n", 3))]


def list_comprehension_with_condition(p):
    return [p.call("body", x) for x in p.iter(4) if p.call("test", x % 2)]


def list_comprehension_nested_loops(p):
    return [p.call("body", x, y) for x in p.iter(2, "x") for y in p.iter(x + 1, "y") if p.call("test", True)]


def list_comprehension_in_a_list_comprehension(p):
    return [[p.call("body", x, y) for y in p.iter(2, "y")] for x in p.iter(2, "x")]


def set_comprehension(p):
    return {p.call("body", x) for x in p.iterable(3)}


def dict_comprehension(p):
    return {p.call("key", x): p.call("value") for x in p.iter(3)}


def dict_comprehension_with_condition(p):
    return {k: p.call("value", v) for k, v in p.iter([("a", 1), ("b", 2)]) if p.call("test", v > 1)}


def comprehension_shadows_a_local(p):
    x = p.call("outer")
    inner = [p.call("body", x) for x in p.iter(2)]
    return x, inner


def comprehension_over_an_unbound_local(p):
    inner = [p.call("body", x) for x in p.iter(2)]
    x = p.call("later")
    return x, inner


def comprehension_reads_a_cell(p):
    scale = p.call("scale")

    def f():
        return [p.call("body", x * scale) for x in p.iter(2)]

    return f()


def comprehension_makes_closures(p):
    functions = [lambda: p.call("closure", x) for x in p.iter(2)]
    return [f() for f in functions]


def comprehension_binds_by_walrus(p):
    out = [y := p.call("body", x) for x in p.iter(2)]
    return out, y


def comprehension_as_an_argument(p):
    return p.call("f", p.call("a"), [p.call("body", x) for x in p.iter(2)], p.call("b"))


def comprehension_between_operands(p):
    return [p.call("a")] + [p.call("body", x) for x in p.iter(2)] + [p.call("b")]


def comprehension_in_a_loop(p):
    seen = []
    for x in p.iter(2, "x"):
        seen.append([p.call("body", y) for y in p.iter(x + 1, "y")])
    return seen


def comprehension_with_unpacking(p):
    return [p.call("body", a, b) for a, *b in p.iter([(1, 2), (3, 4, 5)])]


def comprehension_with_values(p):
    v = p.value([1, 2, 3])
    return [x + v[0] for x in v if v[1] > x]


def comprehension_with_conditional(p):
    return [p.call("odd", x) if x % 2 else p.call("even", x) for x in p.iter(3)]


def comprehension_with_and_or(p):
    return [x for x in p.iter(4) if p.call("a", x > 0) and p.call("b", x < 3) or p.call("c", False)]


def generator_expression(p):
    return list(p.call("body", x) for x in p.iter(3))


def generator_expression_into_sum(p):
    return sum(p.call("body", x) for x in p.iter(3) if p.call("test", x != 1))


def generator_expression_nested(p):
    return list(p.call("outer", y) for y in (p.call("inner", x) for x in p.iter(2)))


def generator_expression_into_any_and_dict(p):
    return any(p.call("any", x == 1) for x in p.iter(3)), dict((p.call("k", x), x) for x in p.iter(2))


def generator_expression_into_join_and_sorted(p):
    return ",".join(str(p.call("join", x)) for x in p.iter(2)), sorted((p.call("sort", -x) for x in p.iter(2)))


def lambda_in_a_comprehension_condition(p):
    test = lambda x: p.call("test", x > 0)
    return [x for x in p.iter(3) if test(x)]


def comprehension_in_a_try(p):
    try:
        return [p.call("body", x) for x in p.iter(2)]
    except ValueError:
        return p.call("never")
    finally:
        p.call("finally")


def comprehension_in_a_with(p):
    with p.manager():
        out = [p.call("body", x) for x in p.iter(2)]
    return out


def comprehension_with_a_dict_and_list_inside(p):
    return [{"k": p.call("v", x), "l": [p.call("w", x)]} for x in p.iter(2)]


def comprehension_in_a_class_body_is_captured(p):
    class C:
        functions = [lambda: p.call("f", x) for x in p.iter(2)]
        y = [f() for f in functions]
        z = {p.call("z", k): (lambda: k)() for k in p.iter(2)}

        def method(self, default=p.call({1 for i in range(1) if (p if (lambda: i) else None)})):
            return default

    return C.y, C.z, C().method(), [name for name in vars(C) if name[0] != "_"]
