"""Programs: calls of every shape, nested; nothing that finished runs twice."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def nested_next(p):
    it = p.iter(3)
    x = p.call("f", next(it))
    return x, p.call("g", next(it))


def pop_from_a_queue(p):
    q = [1, 2, 3]
    a = p.call("f", q.pop(0))
    b = p.call("g", q.pop(0), q.pop())
    return a, b, q


def append_a_step(p):
    out = []
    it = p.iter(3)
    for _ in range(2):
        out.append(p.call("step", next(it)))
    return out


def sum_of_calls(p):
    total = 0
    for i in range(2):
        total += p.call("g") + p.call("f") * p.call("h")
    return total


def deeply_nested_calls(p):
    return p.call("a", p.call("b", p.call("c", p.call("d"))), p.call("e", p.call("f")))


def keywords_and_defaults(p):
    return p.call("f", p.call("x"), key=p.call("y"), other=p.call("z"))


def star_arguments(p):
    return p.call("f", *p.iterable(2), *p.call("more", [8, 9]))


def star_arguments_between(p):
    return p.call("f", p.call("first"), *p.iterable(2), p.call("last"), *[p.call("end")])


def double_star_arguments(p):
    return p.call("f", **p.mapping(a=1, b=2), c=p.call("c"))


def stars_of_both_kinds(p):
    return p.call("f", p.call("x"), *p.iterable(2), key=p.call("y"), **p.mapping(a=p.call("a")))


def calls_through_c(p):
    f = p.ccall
    return f("outer", f("inner"), *f("star", [f("one")]))


def calls_of_builtins(p):
    v = p.value([1, 2])
    return len(v), max(p.call("a"), p.call("b")), sum(p.iter(3)), list(map(lambda x: p.call("map", x), [1, 2])), bool(p.value(0))


def call_of_a_call(p):
    def make(x):
        p.call("make", x)
        return lambda y: p.call("made", x, y)

    return make(p.call("x"))(p.call("y"))


def method_chain(p):
    v = p.value({"k": 1}, method=p.sequence("method")[0])
    return v.method(p.call("a")), v.method(v["k"], p.call("b"))


def call_of_an_object(p):
    v = p.value(7)
    return v(p.call("x")) + v(1, 2)


def call_in_a_subscript(p):
    table = {1: "one", 2: "two", 3: "three"}
    return table[p.call("key")], [4, 5, 6][p.call("at") : p.call("end", 3)]


def conditional_expression(p):
    a = p.call("yes") if p.call("test", True) else p.call("no")
    b = p.call("yes") if p.call("test", False) else p.call("no")
    return p.call("f", p.call("x"), p.call("t") if p.call("c", a) else p.call("e"), b)


def and_or_not(p):
    a = p.call("a", 0) or p.call("b", 5)
    b = p.call("c", 3) and p.call("d", 0)
    c = not p.call("e", a)
    return p.call("f", p.call("g", 0) or p.call("h", 2), a and b, c)


def value_and_or_not(p):
    v, w = p.value(0), p.value(2)
    return v or w, w and v, not v, (v or w) and p.call("f", v)


def chained_comparison(p):
    return p.call("a", 1) < p.call("b", 2) <= p.call("c", 2) != p.call("d", 5)


def chained_comparison_of_values(p):
    a, b, c = p.value(1), p.value(2), p.value(3)
    return bool(a < b < c), bool(a < b > c), p.call("f", a < b < c)


def walrus_in_a_call(p):
    out = p.call("f", (x := p.call("x")), x + 1, (y := p.call("y", x)))
    return out, x, y


def call_on_a_global_helper(p):
    return _helper(p, p.call("x")) + _helper(p, p.call("y"))


def _helper(p, x):
    return x + 1


def nested_function_called(p):
    def add(a, b=2, *, c=3):
        return p.call("add", a) + b + c

    return add(p.call("x")) + add(1, p.call("y"), c=p.call("z"))


def eight_arguments(p):
    return p.call("f", p.call("a"), p.call("b"), p.call("c"), p.call("d"), p.call("e"), p.call("g"), p.call("h"), p.call("i"))


def print_to_output(p):
    print("one", p.call("x"))
    print(p.value("v"), p.call("y"), sep="-")
    return None


def type_and_isinstance(p):
    return isinstance(p.call("x"), int), type(p.call("y")).__name__, type(p.call("z")) is int, str(p.value(3)), tuple(p.iter(2))


def calls_on_several_lines(p):
    return p.call(
        "f",
        p.call(
            "x",
        ),
        key=p.call(
            "y",
        ),
    )


def recursion(p):
    def down(n):
        p.call("down", n)
        if n == 0:
            return p.call("bottom", 0)
        return n + down(n - 1) + p.call("up", n)

    return down(4)


def tree_recursion(p):
    def walk(tree):
        if isinstance(tree, int):
            return p.call("leaf", tree)
        return sum([walk(branch) for branch in tree])

    return walk([1, [2, [3, 4]], 5])


def five_functions_deep(p):
    def one(a):
        def two(b):
            def three(c):
                def four(d):
                    def five(e):
                        return p.call("five", a, b, c, d, e)

                    return five(p.call("e"))

                return four(p.call("d"))

            return three(p.call("c"))

        return two(p.call("b"))

    return one(p.call("a"))
