"""Programs: contextlib: generator managers, ExitStack, closing, suppress, nullcontext."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

import contextlib

from sweep.declare import either, refuses


def contextmanager_function(p):
    @contextlib.contextmanager
    def m(name):
        p.call("before", name)
        yield p.call("value", name)
        p.call("after", name)

    with m(p.call("x")) as a, m("b") as b:
        p.call("body", a, b)
    return p.call("end")


def contextmanager_with_finally(p):
    @contextlib.contextmanager
    def m():
        p.call("before")
        try:
            yield p.call("value")
        finally:
            p.call("cleanup")

    with m() as x:
        for y in p.iter(2):
            p.call("body", x, y)
    return p.call("end")


def contextmanager_that_handles(p):
    @contextlib.contextmanager
    def m():
        try:
            yield
        except ValueError as error:
            p.call("handled", str(error))

    with m():
        raise ValueError(p.call("message"))
    with m():
        p.call("body")
    return p.call("end")


def contextmanager_that_logs_and_raises(p):
    @contextlib.contextmanager
    def m():
        try:
            yield
        except Exception:
            p.call("logged")
            raise

    with m():
        p.call("body")
    return p.call("end")


def contextmanager_as_a_decorator(p):
    @contextlib.contextmanager
    def m():
        p.call("before")
        yield
        p.call("after")

    @m()
    def f(x):
        return p.call("f", x)

    return f(1), f(p.call("x"))


# An exit stack takes its callbacks off before it calls them.
@refuses("exit", "callback")
@either("")
def exit_stack(p):
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(p.manager("a"))
        stack.callback(p.call, "callback", 1)
        b = stack.enter_context(p.manager("b"))
        p.call("body", a, b)
    return p.call("after")


def closing_and_nullcontext(p):
    class C:
        def close(self):
            p.call("close")

    with contextlib.closing(C()) as c, contextlib.nullcontext(p.call("x")) as x:
        p.call("body", x)
    return p.call("after")


@either("other")
def suppress(p):
    with contextlib.suppress(p.Injected):
        p.call("suppressed")
        p.call("also suppressed")
    with contextlib.suppress(KeyError):
        p.call("other")
    return p.call("after")


def redirect_stdout(p):
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("inside", p.call("x"))
    print("outside", p.call("y"))
    return out.getvalue()


def async_contextmanager(p):
    @contextlib.asynccontextmanager
    async def m(name):
        await p.awaitable("before")
        yield p.call("value", name)
        await p.awaitable("after")

    async def f():
        async with m("a") as a:
            p.call("body", a)
        return p.call("end")

    return p.drive(f())


# An exit stack takes its callbacks off before it calls them.
@refuses("")
@either("")
def async_exit_stack(p):
    async def f():
        async with contextlib.AsyncExitStack() as stack:
            a = await stack.enter_async_context(p.manager("a"))
            stack.push_async_callback(p.awaitable, "callback")
            p.call("body", a)
        return p.call("after")

    return p.drive(f())


def contextmanager_in_a_generator(p):
    @contextlib.contextmanager
    def m():
        p.call("before")
        yield
        p.call("after")

    def g():
        for x in p.iter(2):
            with m():
                yield p.call("item", x)

    return list(g())
