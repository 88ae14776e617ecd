"""Programs: generators, send, throw, close, yield from; what survives and what is finished for good."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import either, refuses


def generator_consumed_by_a_loop(p):
    def numbers(n):
        for x in p.iter(n):
            yield p.call("make", x)
        p.call("end")

    seen = []
    for x in numbers(3):
        seen.append(p.call("use", x))
    return seen


def generator_with_send(p):
    def echo():
        got = p.call("start", None)
        while True:
            got = yield p.call("echo", got)
            if got is None:
                return p.call("done", "result")

    g = echo()
    out = [next(g), g.send(p.call("a")), g.send(p.call("b"))]
    try:
        g.send(None)
    except StopIteration as stop:
        out.append(stop.value)
    return out


def generator_with_throw(p):
    def guard():
        for _ in range(3):
            try:
                yield p.call("yield")
            except ValueError as error:
                p.call("caught", str(error))
                yield p.call("recovered")

    g = guard()
    out = [next(g), g.throw(ValueError("thrown")), next(g)]
    g.close()
    return out


def generator_with_close_and_finally(p):
    def resource():
        p.call("open")
        try:
            yield p.call("one")
            yield p.call("two")
        finally:
            p.call("closing")

    g = resource()
    first = next(g)
    g.close()
    return first, list(g)


def generator_that_returns(p):
    def inner():
        yield p.call("one")
        return p.call("result")

    def outer():
        result = yield from inner()
        yield p.call("got", result)

    return list(outer())


def yield_from_an_iterator(p):
    def outer():
        yield from p.iter(2)
        yield from p.iterable(2)
        yield from [p.call("x"), p.call("y")]

    return [p.call("use", x) for x in outer()]


def yield_from_three_deep(p):
    def one(n):
        for x in p.iter(n):
            yield p.call("one", x)
        return p.call("r1")

    def two(n):
        return p.call("r2", (yield from one(n)), (yield from one(1)))

    def three(n):
        result = yield from two(n)
        yield p.call("r3", result)

    return list(three(2))


def yield_from_with_send_and_throw(p):
    def inner():
        out = []
        try:
            while True:
                out.append(p.call("got", (yield len(out))))
        except ValueError:
            p.call("caught")
        return out

    def outer():
        return (yield from inner())

    g = outer()
    next(g)
    g.send(p.call("a"))
    g.send(p.call("b"))
    try:
        g.throw(ValueError())
    except StopIteration as stop:
        return stop.value


def yield_in_a_call_and_a_display(p):
    def f():
        x = p.call("f", p.call("a"), (yield 1), p.call("b"))
        y = [p.call("c"), (yield x), p.call("d")]
        return y

    g = f()
    out = [next(g), g.send("sent")]
    try:
        g.send("again")
    except StopIteration as stop:
        out.append(stop.value)
    return out


def yield_in_try_except_finally(p):
    def f():
        for x in p.iter(2):
            try:
                yield p.call("try", x)
                p.call("after", x)
            except ValueError:
                p.call("except")
            else:
                p.call("else")
            finally:
                yield p.call("finally")

    return list(f())


def yield_in_a_with(p):
    def f():
        with p.manager("a"):
            yield p.call("one")
            with p.manager("b"):
                yield p.call("two")

    return list(f())


def generator_pipeline(p):
    def source():
        for x in p.iter(3):
            yield x

    def double(it):
        for x in it:
            yield p.call("double", 2 * x)

    def odd(it):
        return (x + 1 for x in it if p.call("keep", x))

    return list(odd(double(source())))


def infinite_generator_with_break(p):
    def count():
        n = 0
        while True:
            yield p.call("count", n)
            n += 1

    for x in count():
        if p.call("stop", x == 2):
            break
    return x


def generator_recursion(p):
    def walk(tree):
        if isinstance(tree, list):
            for branch in tree:
                yield from walk(branch)
        else:
            yield p.call("leaf", tree)

    return list(walk([1, [2, [3]], 4]))


def generator_state_is_seen(p):
    import inspect

    def f():
        yield p.call("one")
        yield p.call("two")

    g = f()
    out = [inspect.getgeneratorstate(g), next(g), inspect.getgeneratorstate(g), g.gi_running, next(g)]
    out += [next(g, "end"), inspect.getgeneratorstate(g), g.gi_frame is None]
    return out


@refuses("next mortal")
def loop_over_a_mortal_generator(p):
    seen = []
    for x in p.mortal_items(2):
        seen.append(p.call("body", x))
    return seen


@refuses("next mortal")
def next_of_a_mortal_generator(p):
    g = p.mortal_items(3)
    return p.call("f", next(g), next(g))


@refuses("next mortal")
def yield_from_a_mortal_generator(p):
    def f():
        yield from p.mortal_items(2)
        yield p.call("x")

    return list(f())


@refuses("next a", "next b")
def a_call_takes_the_items(p):
    numbers = p.iter(3, "b")
    return p.call("f", sum(p.iter(3, "a")), list(map(str, numbers)))


def a_list_that_grows_by_the_items(p):
    seen = [9]
    seen.extend(p.iter(3, "a"))
    seen += p.iter(2, "b")
    return p.call("f", [*p.iter(2, "c"), 7], *seen)


def generator_handles_its_own_failure(p):
    def f():
        for x in p.iter(3):
            try:
                yield p.call("risky", x)
            except p.Injected:
                yield "handled"

    return list(f())


def consumer_handles_the_generators_failure(p):
    def f():
        yield p.call("one")
        yield p.call("two")

    seen = []
    g = f()
    for _ in range(2):
        try:
            seen.append(next(g))
        except p.Injected:
            seen.append("failed")
        except StopIteration:
            seen.append("stopped")
    return seen


def stop_iteration_inside_becomes_runtime_error(p):
    def f():
        yield p.call("one")
        next(iter(()))

    try:
        return list(f())
    except RuntimeError as error:
        return p.call("handled", str(error)) if not isinstance(error, p.Injected) else "injected"


def generator_method_of_a_class(p):
    class Tree:
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            for item in self.items:
                yield p.call("item", item)

    a, b = Tree(1, 2)
    return [a, b, *Tree(3), *map(str, Tree(4))]


@either("closed")
def generator_closed_by_a_break(p):
    def f():
        try:
            yield p.call("one")
            yield p.call("two")
        finally:
            p.call("closed")

    for x in f():
        break
    return p.call("after", x)


def generator_arguments_and_cells(p):
    def make(a, *rest, k=1, **more):
        def inner():
            return a + k + len(rest) + len(more)

        yield p.call("first", inner())
        a = p.call("a", 100)
        yield inner()

    return list(make(1, 2, 3, k=p.call("k"), z=4))


def zip_of_two_generators(p):
    def f(name, n):
        for x in range(n):
            yield p.call(name, x)

    return list(zip(f("a", 2), f("b", 3)))


def generator_yields_in_a_comprehension_source(p):
    def f():
        return [p.call("body", x) for x in (yield p.call("ask"))]

    g = f()
    next(g)
    try:
        g.send(p.iter(2))
    except StopIteration as stop:
        return stop.value
