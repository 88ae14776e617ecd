"""Programs: asynchronous generators: asend, athrow, aclose, finally, delegation."""

from sweep.declare import refuses


# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def async_generator_consumed(p):
    async def numbers(n):
        for x in p.iter(n):
            yield p.call("make", x)
            await p.awaitable("pause", steps=0)
        p.call("end")

    async def f():
        seen = []
        async for x in numbers(2):
            seen.append(p.call("use", x))
        return seen

    return p.drive(f())


def async_generator_in_a_comprehension(p):
    async def numbers():
        yield p.call("one")
        yield await p.awaitable("two", 2)

    async def f():
        return [p.call("use", x) async for x in numbers()]

    return p.drive(f())


def async_generator_asend(p):
    async def echo():
        got = p.call("start", None)
        while got != "stop":
            got = yield p.call("echo", got)

    async def f():
        g = echo()
        out = [await anext(g), await g.asend(p.call("a", 1)), await g.asend(2)]
        out.append(await anext(g, "default"))
        await g.aclose()
        return out

    return p.drive(f())


def async_generator_athrow(p):
    async def guard():
        while True:
            try:
                yield p.call("yield")
            except ValueError as error:
                yield p.call("caught", str(error))

    async def f():
        g = guard()
        out = [await anext(g), await g.athrow(ValueError("thrown")), await anext(g)]
        await g.aclose()
        return out

    return p.drive(f())


# The managers' __aexit__ is no coroutine function: what it does with an exception cannot be foretold.
@refuses("")
def async_generator_finally(p):
    async def resource():
        async with p.manager("m"):
            try:
                yield p.call("one")
                yield p.call("two")
            finally:
                await p.awaitable("finally")

    async def f():
        seen = []
        async for x in resource():
            seen.append(x)
        return seen

    return p.drive(f())


def async_generator_delegates(p):
    async def inner(n):
        for x in p.iter(n):
            yield p.call("inner", x)

    async def outer():
        async for x in inner(2):
            yield p.call("outer", x)
        async for x in p.aiter(1):
            yield x

    async def f():
        return [x async for x in outer()]

    return p.drive(f())


def async_generator_expression_with_await(p):
    async def f():
        g = (await p.awaitable("item", x) for x in p.iter(2))
        return [p.call("use", x) async for x in g]

    return p.drive(f())


def async_generator_handles_failures(p):
    async def g():
        for x in range(2):
            try:
                yield await p.awaitable("risky", x)
            except p.Injected:
                yield "failed"

    async def f():
        return [x async for x in g()]

    return p.drive(f())


def async_generator_closed_early(p):
    async def g():
        try:
            yield p.call("one")
            yield p.call("two")
        finally:
            p.call("closing")

    async def f():
        it = g()
        async for x in it:
            break
        await it.aclose()
        return p.call("after", x)

    return p.drive(f())


def async_generator_with_cells(p):
    async def f():
        total = 0

        async def g(n):
            nonlocal total
            for x in range(n):
                total += p.call("add")
                yield total

        out = [x async for x in g(2)]
        return out, total

    return p.drive(f())
