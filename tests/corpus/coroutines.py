"""Programs: coroutines driven by hand: await, async with, async for, asynchronous comprehensions."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import refuses


def await_an_awaitable(p):
    async def f():
        x = await p.awaitable("a", p.call("x"))
        return p.call("f", x, await p.awaitable("b", 2, steps=0))

    return p.drive(f())


def await_a_coroutine(p):
    async def inner(x):
        y = p.call("inner", x)
        await p.awaitable("pause")
        return p.call("after", y)

    async def outer():
        return p.call("outer", await inner(p.call("a")), await inner(p.call("b")))

    return p.drive(outer())


def await_in_operators_and_displays(p):
    async def f():
        a = (await p.awaitable("a", 1)) + p.call("x") * (await p.awaitable("b", 2))
        b = [p.call("y"), await p.awaitable("c", 3), p.call("z")]
        c = {"k": await p.awaitable("d", 4), p.call("l"): 5}
        return a, b, c, f"{await p.awaitable('e', 6)}"

    return p.drive(f())


def await_three_deep(p):
    async def one():
        return await p.awaitable("one", p.call("x"))

    async def two():
        return p.call("two", await one(), await one())

    async def three():
        for _ in range(2):
            out = await two()
        return out

    return p.drive(three())


# The managers' __aexit__ is no coroutine function: what it does with an exception cannot be foretold.
@refuses("")
def async_with(p):
    async def f():
        async with p.manager("a") as a, p.manager("b") as b:
            p.call("body", a, b)
            await p.awaitable("pause")
        return p.call("after")

    return p.drive(f())


# The managers' __aexit__ is no coroutine function: what it does with an exception cannot be foretold.
@refuses("")
def async_with_nested_and_return(p):
    async def f():
        async with p.manager("a"):
            with p.manager("b"):
                async with p.manager("c"):
                    return p.call("result")

    return p.drive(f())


def async_for(p):
    async def f():
        seen = []
        async for x in p.aiter(3):
            seen.append(p.call("body", x))
        else:
            p.call("else")
        return seen

    return p.drive(f())


def async_for_break_continue(p):
    async def f():
        seen = []
        async for x in p.aiter(5):
            if p.call("skip", x == 0):
                continue
            if p.call("stop", x == 2):
                break
            seen.append(await p.awaitable("body", x))
        return seen

    return p.drive(f())


def async_for_nested(p):
    async def f():
        seen = []
        async for x in p.aiter(2, "x"):
            for y in p.iter(2, "y"):
                async for z in p.aiter(1, "z"):
                    seen.append(p.call("body", x, y, z))
        return seen

    return p.drive(f())


def async_list_comprehension(p):
    async def f():
        return [p.call("body", x) async for x in p.aiter(2)]

    return p.drive(f())


def async_set_and_dict_comprehension(p):
    async def f():
        return {p.call("s", x) async for x in p.aiter(2)}, {x: await p.awaitable("d", x) async for x in p.aiter(2) if p.call("test", x)}

    return p.drive(f())


def comprehension_that_awaits(p):
    async def f():
        return [await p.awaitable("item", p.call("x", x)) for x in p.iter(2)]

    return p.drive(f())


def async_comprehension_nested(p):
    async def f():
        return [[p.call("body", x, y) for y in p.iter(2, "y")] async for x in p.aiter(2, "x")]

    return p.drive(f())


def async_generator_expression(p):
    async def f():
        return [x async for x in (p.call("body", y) async for y in p.aiter(2))]

    return p.drive(f())


def coroutine_with_try(p):
    async def f():
        try:
            x = await p.awaitable("a", 1)
            raise ValueError(p.call("make", x))
        except ValueError as error:
            await p.awaitable("handler")
            return p.call("handled", str(error))
        finally:
            await p.awaitable("finally")

    return p.drive(f())


def coroutine_handles_failures(p):
    async def f():
        seen = []
        for x in range(2):
            try:
                seen.append(await p.awaitable("a", x))
            except p.Injected:
                seen.append("failed")
        return seen

    return p.drive(f())


@refuses("mortal")
def await_a_mortal_coroutine(p):
    async def f():
        return p.call("f", p.call("x"), await p.mortal("mortal"))

    return p.drive(f())


def await_in_a_closure_with_cells(p):
    async def f(n):
        total = 0

        async def add(x):
            nonlocal total
            total += await p.awaitable("add", x)

        for x in range(n):
            await add(p.call("x"))
        return total

    return p.drive(f(2))


def generator_based_await(p):
    class Task:
        def __await__(self):
            got = yield
            p.call("got", got)
            yield
            return p.call("result")

    async def f():
        return p.call("f", await Task())

    return p.drive(f())


def async_method_and_property(p):
    class C:
        def __init__(self):
            self.n = p.call("init")

        async def get(self):
            return await p.awaitable("get", self.n)

        @property
        def prop(self):
            return p.call("prop")

    async def f():
        c = C()
        return await c.get() + c.prop

    return p.drive(f())


def types_coroutine(p):
    import types

    @types.coroutine
    def pause(x):
        yield
        return p.call("pause", x)

    async def f():
        return await pause(1), await pause(p.call("x"))

    return p.drive(f())


def coroutine_thrown_into(p):
    async def f():
        try:
            await p.awaitable("a")
        except ValueError:
            p.call("caught")
            await p.awaitable("b")
        return p.call("end")

    c = f()
    c.send(None)
    c.throw(ValueError())
    try:
        c.send(None)
    except StopIteration as stop:
        return stop.value


def coroutine_closed(p):
    async def f():
        try:
            await p.awaitable("a")
        finally:
            p.call("closing")

    c = f()
    c.send(None)
    c.close()
    return p.call("after")
