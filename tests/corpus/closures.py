"""Programs: cells, nonlocal, global, nested functions; cells are shared after a recovery."""

from sweep.declare import refuses

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


_state = None


def cell_is_shared(p):
    count = 0

    def bump():
        nonlocal count
        count += 1
        return p.call("bump", count)

    bump()
    count += p.call("x")
    bump()
    return count


def cell_is_written_after_a_crash(p):
    x = p.call("first")
    read = lambda: x
    x = p.call("second", x + 10)
    a = read()
    x = p.call("third")
    return a, read(), x


def parameter_is_a_cell(p):
    def outer(a, b=2, *rest, k=3, **more):
        def inner():
            return a, b, rest, k, more

        a += p.call("a")
        more[p.call("key", "z")] = b
        return inner()

    return outer(1, p.call("b"), 9, k=p.call("k"), y=1)


def cells_per_iteration(p):
    def make(x):
        y = p.call("make", x)
        return lambda: p.call("read", x, y)

    functions = []
    for x in p.iter(2):
        functions.append(make(x))
    return [f() for f in functions]


def nonlocal_through_three_levels(p):
    x = p.call("x")

    def one():
        nonlocal x
        x += p.call("one")

        def two():
            nonlocal x
            x *= p.call("two")
            return x

        return two() + x

    return one(), x


def cell_is_deleted(p):
    x = p.call("x")

    def read():
        return x

    del x
    try:
        read()
    except NameError:
        p.call("unbound")
    x = p.call("again")
    return read()


def global_is_stored_and_deleted(p):
    global _state
    _state = p.call("x")
    _state = p.call("f", _state)
    a = _state
    del _state
    _state = p.call("back")
    return a, _state


def function_attributes_and_defaults(p):
    def f(a=p.call("default a"), *, b=p.call("default b")):
        f.calls = p.call("calls")
        return a, b

    f.name = p.call("name")
    return f(), f(b=p.call("b")), f.calls, f.name


def annotations(p):
    def f(a: p.call("annotation a", int), b: p.call("annotation b", str) = 1) -> p.call("returns", None):
        return p.call("f", a, b)

    return f(p.call("a")), list(f.__annotations__)


def lambda_forms(p):
    f = lambda x, y=p.call("y"), *z, k=1, **more: p.call("f", x, y, z, k, more)
    return f(1), f(p.call("x"), 2, 3, k=4, m=5), (lambda: p.call("now"))()


def lambda_with_conditional(p):
    f = lambda x: p.call("big", x) if p.call("test", x > 1) else p.call("small", x)
    return f(1), f(2)


def decorated_functions(p):
    @p.decorator("outer")
    @p.decorator("inner")
    def f(x=p.call("default")):
        return p.call("f", x)

    return f(), f(p.call("x"))


def decorator_that_wraps(p):
    import functools

    def logged(name):
        def decorate(f):
            @functools.wraps(f)
            def wrapper(*args, **kwargs):
                p.call("before", name)
                result = f(*args, **kwargs)
                return p.call("after", name, result)

            return wrapper

        return decorate

    @logged(p.call("name", "a"))
    @logged("b")
    def f(x, *, y):
        return p.call("f", x, y)

    return f(p.call("x"), y=p.call("y"))


def cached_and_partial(p):
    import functools

    @functools.lru_cache
    def f(x):
        return p.call("f", x)

    g = functools.partial(f, p.call("bound"))
    return f(5), f(5), g(), functools.reduce(lambda a, b: p.call("reduce", a + b), [1, 2, 3])


def callbacks(p):
    return (
        sorted([3, 1, 2], key=lambda x: p.call("key", x)),
        list(filter(lambda x: p.call("filter", x > 1), [1, 2])),
        max([1, 2], key=lambda x: p.call("max", -x)),
    )


def generic_function(p):
    def f[T: (int, str)](x: T) -> list[T]:
        return [p.call("f", x)]

    type Alias[K] = dict[K, p.call("lazy", int)]
    return f(p.call("x")), str(Alias.__value__)


def argument_binding_fails_and_is_handled(p):
    def f(a, b):
        return p.call("never")

    try:
        f(p.call("only"))
    except TypeError:
        return p.call("handled")


def recursion_through_a_cell(p):
    def even(n):
        return p.call("even", True) if n == 0 else odd(n - 1)

    def odd(n):
        return p.call("odd", False) if n == 0 else even(n - 1)

    return even(4), odd(2)


def counter_object_in_a_default(p):
    def f(x, seen=[]):
        seen.append(p.call("see", x))
        return list(seen)

    return f(1), f(p.call("x", 2)), f(3)


def many_cells(p):
    a = p.call("a")
    b = p.call("b")
    c, d = p.call("cd", 3, 4)
    e = [x + a for x in p.iter(2)]

    def f():
        nonlocal a, c
        a, c = p.call("f", c, a)
        return a, b, c, d, e

    for x in p.iter(2):
        f()
    return f(), (lambda: (a, b, c, d, e, x))()


# Statements that call locals, eval or exec keep nothing (it would be seen).
@refuses("z", "x")
def locals_and_eval(p):
    x = p.call("x")
    y = eval("x + 1")
    z = p.call("z", sorted(locals())[:2])
    exec("x = 100")
    return x, y, z, "x" in vars(), "x" in dir()


def nested_functions_five_deep(p):
    a = p.call("a")

    def one(b):
        def two(c):
            nonlocal b

            def three(d):
                def four(e):
                    nonlocal a
                    a += p.call("four", e)

                    def five(f):
                        return p.call("five", a, b, c, d, e, f), [p.call("deep", x + f) for x in p.iter(1)]

                    return five(p.call("f"))

                return four(p.call("e"))

            b += p.call("b")
            return three(p.call("d")), b

        return two(p.call("c"))

    return one(p.call("one")), a


def type_parameters_are_read_late(p):
    def f[T: p.call("bound", int), *Ts, **P](x: T) -> T:
        return p.call("f", x)

    class C[K: (p.call("first", int), p.call("second", str))]:
        def method[V](self, value: V) -> V:
            return p.call("method", value)

    type Pair[X] = tuple[X, p.call("alias", int)]
    t, k = f.__type_params__[0], C.__type_params__[0]
    return f(1), t.__bound__, C().method(2), k.__constraints__, Pair.__value__.__args__[1]


def super_in_all_kinds_of_functions(p):
    class Base:
        x = 1

        def method(self, y):
            return p.call("base", y)

        def items(self):
            yield from p.iter(2)

        async def wait(self):
            return await p.awaitable("base wait", 1)

    class C(Base):
        def method(self, y):
            return [super(C, self).method(z) for z in p.iter(y)], (lambda: super(C, self).method(y))()

        def items(self):
            yield p.call("own")
            yield from super().items()

        async def wait(self):
            return await super().wait() + p.call("own wait")

        @classmethod
        def make(cls):
            return p.call("make", super().__new__(cls) is not None) and cls()

        @property
        def y(self):
            return super().x + p.call("property")

    c = C.make()
    return c.method(2), list(c.items()), p.drive(c.wait()), c.y
