"""Context managers: would their `__exit__` swallow the exception, read without calling it."""

# ruff: noqa: E501 - tables of programs, one a line

from __future__ import annotations

import contextlib
import threading

import pytest

from crash.search_harness import Problem, run

MANAGERS = """
import asyncio, contextlib, threading, sys, os
from contextlib import contextmanager, asynccontextmanager, suppress, ExitStack, AsyncExitStack, nullcontext

class Quiet:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return True
class Plain:
    def __enter__(self): return self
    def __exit__(self, *exc): print(end='')
class ReturnsFalse:
    def __enter__(self): return 7
    def __exit__(self, kind, error, traceback): return False
class ByFlag:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return self.quiet()
    def quiet(self): return False
class OnlyClean:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback):
        if kind is not None: return False
        return True
class NoError:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return kind is None
class TakesKeys:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return kind is not None and issubclass(kind, KeyError)
class TakesValues:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return isinstance(error, ValueError)
class TakesExactly:
    def __init__(self, wanted=LookupError): self.wanted = wanted
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return kind is self.wanted
class TakesAllBut:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback):
        if KeyError is not kind: return True
class TranslatesExactly:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback):
        if self is not None and kind is LookupError: raise Problem('p') from error
class Inherits(Quiet): pass
class CallsSuper(Quiet):
    def __exit__(self, *exc): return super().__exit__(*exc)
class CallsPlainSuper(Plain):
    def __exit__(self, *exc): return super().__exit__(*exc)
class Delegates:
    def __init__(self, inner): self.inner = inner
    def __enter__(self): return self
    def __exit__(self, *exc): return self.inner.__exit__(*exc)
class Translates:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): raise Problem('p') from error
class Wrapper:
    def wrap(function):
        import functools
        @functools.wraps(function)
        def inner(*args): return function(*args)
        return inner
    def __enter__(self): return self
    @wrap
    def __exit__(self, *exc): print(end='')
class AQuiet:
    async def __aenter__(self): return self
    async def __aexit__(self, *exc): return True
async def aclose(*exc): print(end='')
async def atake(*exc): return True
async def atranslate(*exc): raise Problem
class AByMethod:
    async def __aenter__(self): return self
    def __aexit__(self, *exc): return self.close(*exc)
    async def close(self, *exc): print(end='')
class AByOtherMethod(AByMethod):
    async def close(self, *exc): return True
class AByFunction(AByMethod):
    def __aexit__(self, *exc): return aclose(*exc)
class AByTaker(AByMethod):
    def __aexit__(self, *exc): return atake(*exc)
class AByTranslator(AByMethod):
    def __aexit__(self, *exc): return atranslate(*exc)
class ADelegates(AByMethod):
    def __init__(self, inner): self.inner = inner
    def __aexit__(self, *exc): return self.inner.__aexit__(*exc)
class AWrapped(AByMethod):
    def wrap(function):
        import functools
        @functools.wraps(function)
        def inner(*args): return function(*args)
        return inner
    @wrap
    async def __aexit__(self, kind, error, traceback): return kind is ValueError
class timeout(asyncio.Timeout):
    def __init__(self): super().__init__(None)
    async def __aenter__(self): self._state = type(self._state).ENTERED
class APlain:
    async def __aenter__(self): return self
    async def __aexit__(self, *exc): print(end='')

@contextmanager
def plain():
    yield 1
@contextmanager
def cleans():
    try: yield 1
    finally: print(end='')
@contextmanager
def logs():
    try: yield 1
    except Exception: print(end=''); raise
@contextmanager
def swallows():
    try: yield 1
    except KeyError: pass
@contextmanager
def swallows_others():
    try: yield 1
    except OSError: pass
@contextmanager
def translates():
    try: yield 1
    except KeyError as e: raise Problem('p') from e
@contextmanager
def nested():
    with swallows(): yield 1
@contextmanager
def with_types(*types):
    try: yield 1
    except types: pass
@asynccontextmanager
async def aplain():
    yield 1
@asynccontextmanager
async def aswallows():
    try: yield 1
    except KeyError: pass

def make_plain(): return Plain()
def make_quiet(): return Quiet()
def make_either():
    if sys.argv: return Plain()
    return ReturnsFalse()
lock, quiet, ready = threading.Lock(), Quiet(), Plain()
class Holder:
    def __init__(self): self.lock, self.quiet = threading.RLock(), Quiet()
    @contextmanager
    def method(self): yield
    @staticmethod
    @contextmanager
    def static(): yield
    @classmethod
    def make(cls): return Plain()
holder = Holder()
class Plugin:
    def __init__(self, manager): self.manager = manager
    def forward(self): return self.manager
    def clone(self): return self.__class__.other()
    @staticmethod
    def other(): return Plain()
    @contextmanager
    def context(self):
        with self.forward(): yield
    @contextmanager
    def rebound(self):
        self = plugin
        with self.forward(): yield
class Strategy:
    def __init__(self, plugin=None): self.own = plugin
    @property
    def plugin(self): return self.own if self.own is not None else PlainPlugin()
class PlainPlugin(Plugin):
    def __init__(self): pass
    def forward(self): return Plain()
class QuietPlugin(PlainPlugin):
    def forward(self): return Quiet()
    @property
    def mine(self): return QuietPlugin()
@contextmanager
def stacked(*managers):
    with ExitStack() as stack:
        for manager in managers: stack.enter_context(manager)
        yield
@asynccontextmanager
async def astacked(manager):
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(manager)
        yield
plugin, quiet_plugin, strategy = Plugin(ready), Plugin(quiet), Strategy(Plugin(ready))
"""

CASES = [
    ("returns true", "with Quiet(): boom()", True),
    ("returns nothing", "with Plain(): boom()", False),
    ("returns false", "with ReturnsFalse() as n: boom()", False),
    ("true without an exception only", "with OnlyClean(): boom()", False),
    ("compares with None", "with NoError(): boom()", False),
    ("tests the type", "with TakesKeys(): boom()", True),
    ("tests another type", "with TakesValues(): boom()", False),
    ("compares the type, a subclass", "m = TakesExactly()\nwith m: boom()", False),
    ("compares the type, the very class", "m = TakesExactly(KeyError)\nwith m: boom()", True),
    ("compares the type, inverted", "with TakesAllBut(): boom()", False),
    ("translates another type", "try:\n with TranslatesExactly(): boom()\nexcept Problem: pass", False),
    ("inherits", "with Inherits(): boom()", True),
    ("super that swallows", "with CallsSuper(): boom()", True),
    ("super that does not", "with CallsPlainSuper(): boom()", False),
    ("delegates, at hand", "d = Delegates(lock)\nlock.acquire()\nwith d: boom()", False),
    ("delegates to a swallower", "d = Delegates(quiet)\nwith d: boom()", True),
    ("wrapped __exit__", "with Wrapper(): boom()", False),
    ("translates", "with Translates(): boom()", False),
    ("translates, caught outside", "try:\n with Translates(): boom()\nexcept Problem: pass", True),
    ("translates, not caught outside", "try:\n with Translates(): boom()\nexcept KeyError: pass", False),
    ("a variable", "with quiet: boom()", True),
    ("a lock", "with lock: boom()", False),
    ("a lock in an attribute", "with holder.lock: boom()", False),
    ("a swallower in an attribute", "with holder.quiet: boom()", True),
    ("a local variable", "m = Plain()\nwith m: boom()", False),
    ("a new lock", "with threading.Lock(): boom()", False),
    ("a file", "with open(os.devnull) as file: boom()", False),
    ("suppress", "with suppress(KeyError): boom()", True),
    ("suppress something else", "with suppress(OSError, ValueError): boom()", False),
    ("suppress by attribute", "with contextlib.suppress(LookupError): boom()", True),
    ("suppress from a variable", "s = suppress(OSError)\nwith s: boom()", False),
    ("suppress in suppress", "with suppress(KeyError), suppress(OSError): boom()", True),
    ("nullcontext", "with nullcontext(): boom()", False),
    ("a generator that only yields", "with plain(): boom()", False),
    ("a generator that cleans up", "with cleans(): boom()", False),
    ("a generator that logs", "with logs(): boom()", False),
    ("a generator that swallows", "with swallows(): boom()", True),
    ("a generator that swallows others", "with swallows_others(): boom()", False),
    ("a generator that translates", "with translates(): boom()", False),
    ("a generator that translates, caught", "try:\n with translates(): boom()\nexcept Problem: pass", True),
    ("a generator with a manager inside", "with nested(): boom()", True),
    ("a generator at hand", "m = swallows_others()\nwith m: boom()", False),
    ("a generator at hand, with its own variables", "m = with_types(KeyError)\nwith m: boom()", True),
    ("a generator at hand, with others", "m = with_types(OSError)\nwith m: boom()", False),
    ("a method", "with holder.method(): boom()", False),
    ("a static method", "with holder.static(): boom()", False),
    ("a class method", "with holder.make(): boom()", False),
    ("a function that returns one", "with make_plain(): boom()", False),
    ("a function that returns a swallower", "with make_quiet(): boom()", True),
    ("a function that returns either", "with make_either(): boom()", False),
    ("several", "with plain() as a, Plain() as b, lock as c: boom()", False),
    ("several, the outer swallows", "with Quiet() as a, Plain() as b: boom()", True),
    ("several, the inner swallows", "with Plain() as a, Quiet() as b: boom()", True),
    ("in a loop", "for i in range(1):\n with Plain(): boom()", False),
    ("arguments with a condition", "with nullcontext(1 if lock else 2): boom()", False),
    ("in a try", "try:\n with Plain(): boom()\nexcept KeyError: pass", True),
    ("a try inside", "with Plain():\n try: boom()\n except OSError: pass", False),
    ("return in a with", "with Plain(): return boom()", False),
    ("an ExitStack", "with ExitStack() as stack:\n stack.enter_context(Plain()); boom()", False),
    ("an ExitStack with a swallower", "with ExitStack() as stack:\n stack.enter_context(Quiet()); boom()", True),
    ("an ExitStack with a generator", "with ExitStack() as stack:\n stack.enter_context(cleans()); boom()", False),
    ("an ExitStack with suppress", "with ExitStack() as stack:\n stack.enter_context(suppress(OSError)); boom()", False),
    ("an ExitStack with a callback", "with ExitStack() as stack:\n stack.callback(print, end=''); boom()", False),
    ("an ExitStack in a generator", "with stacked(Plain(), lock): boom()", False),
    ("an ExitStack in a generator, with a swallower", "with stacked(Plain(), Quiet()): boom()", True),
    ("an ExitStack in a generator in another", "with stacked(Plain()), stacked(Quiet()): boom()", True),
    ("a method that reads its owner", "with plugin.context(): boom()", False),
    ("a method that reads an owner with a swallower", "with quiet_plugin.context(): boom()", True),
    ("a method that makes one of its own class", "with plugin.clone(): boom()", False),
    ("a bound method in a variable", "make = plugin.context\nwith make(): boom()", False),
    ("a method of a property", "with strategy.plugin.context(): boom()", False),
    ("a method of a property that swallows", "with Strategy(quiet_plugin).plugin.context(): boom()", True),
    ("an ExitStack in a variable", "s = ExitStack()\nwith s:\n s.enter_context(suppress(KeyError)); boom()", True),
]  # fmt: skip

ASYNC_CASES = [
    ("swallows", "async with AQuiet(): boom()", True),
    ("does not", "async with APlain() as a: boom()", False),
    ("at hand", "m = APlain()\nasync with m: boom()", False),
    ("a generator", "async with aplain(): boom()", False),
    ("a generator that swallows", "async with aswallows(): boom()", True),
    ("a with inside", "async with APlain():\n with Quiet(): boom()", True),
    ("a with outside", "with Quiet():\n async with APlain(): boom()", True),
    ("awaits a method", "async with AByMethod(): boom()", False),
    ("awaits a method, at hand", "m = AByMethod()\nasync with m: boom()", False),
    ("awaits a method that swallows", "async with AByOtherMethod(): boom()", True),
    ("awaits a function", "async with AByFunction(): boom()", False),
    ("awaits a function that swallows", "async with AByTaker(): boom()", True),
    ("awaits a function that translates", "try:\n async with AByTranslator(): boom()\nexcept KeyError: pass", False),
    ("translates, not caught", "try:\n async with AByTranslator(): boom()\nexcept OSError: pass", False),
    ("translates, caught", "try:\n async with AByTranslator(): boom()\nexcept Problem: pass", True),
    ("awaits another's, at hand", "m = ADelegates(APlain())\nasync with m: boom()", False),
    ("awaits another's that swallows", "m = ADelegates(AQuiet())\nasync with m: boom()", True),
    ("a wrapped coroutine function", "async with AWrapped(): boom()", False),
    ("a timeout", "try:\n async with timeout(): boom()\nexcept TimeoutError: pass", False),
    ("a timeout, caught", "try:\n async with timeout(): boom()\nexcept LookupError: pass", True),
    ("an AsyncExitStack", "async with AsyncExitStack() as s:\n await s.enter_async_context(APlain()); boom()", False),
    ("an AsyncExitStack in a generator", "async with astacked(APlain()): boom()", False),
    ("an AsyncExitStack in a generator, with a swallower", "async with astacked(AQuiet()): boom()", True),
    ("an AsyncExitStack that swallows", "async with AsyncExitStack() as s:\n await s.enter_async_context(AQuiet()); boom()", True),
    ("an awaited call in a try", "async def g(): boom()\ntry: await g()\nexcept KeyError: pass", True),
    ("an awaited call in a with", "async def g(): boom()\nasync with APlain(): await g()", False),
    ("an async for", "async def g():\n boom()\n yield\nasync for x in g(): pass", False),
    ("an async for in a try", "async def g():\n boom()\n yield\ntry:\n async for x in g(): pass\nexcept KeyError: pass", True),
    ("an async comprehension", "async def g():\n boom()\n yield\nawait_ = [x async for x in g()]", False),
]  # fmt: skip


def _function(body: str, head: str = "def f():") -> str:
    return MANAGERS + head + "\n" + "\n".join("    " + line for line in body.splitlines())


@pytest.mark.parametrize(("body", "handled"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_a_context_manager_does(body: str, handled: bool) -> None:
    seen = run(_function(body), KeyError("k"))
    assert (seen.handled is not None) == handled
    assert (seen.escaped is None) == handled


@pytest.mark.parametrize(("body", "handled"), [case[1:] for case in ASYNC_CASES], ids=[case[0] for case in ASYNC_CASES])
def test_what_an_asynchronous_context_manager_does(body: str, handled: bool) -> None:
    seen = run(_function(body, "async def f():"), KeyError("k"))
    assert (seen.handled is not None) == handled
    assert (seen.escaped is None) == handled


DOUBTS = [
    ("an __exit__ that returns a call", "with ByFlag(): boom()"),
    ("an ExitStack without a name", "with ExitStack(): boom()"),
    ("a call of a call", "with (lambda: Plain)()(): boom()"),
    ("a method that binds its owner anew", "with plugin.rebound(): boom()"),
    ("a choice", "with (plain() if lock else Quiet()): boom()"),
    ("a delegate that is not at hand", "with Delegates(ready): boom()"),
]


@pytest.mark.parametrize("body", [case[1] for case in DOUBTS], ids=[case[0] for case in DOUBTS])
def test_in_doubt_a_context_manager_swallows(body: str) -> None:
    seen = run(_function(body), KeyError("k"))
    assert seen.handled is not None
    assert seen.escaped is not None


def test_the_variable_of_as_may_be_the_manager() -> None:
    body = "with [Plain][0]() as manager: boom()"
    seen = run(_function(body), KeyError("k"))
    assert seen.handled is None and seen.escaped is not None


def test_a_group_is_suppressed_leaf_by_leaf() -> None:
    body = "with suppress(KeyError, OSError): boom()"
    for group, handled in (
        (ExceptionGroup("g", [KeyError(), OSError()]), True),
        (ExceptionGroup("g", [KeyError(), ValueError()]), False),
    ):
        seen = run(_function(body), group)
        assert (seen.handled is not None) == handled
        assert (seen.escaped is None) == handled


def test_the_words_name_the_with() -> None:
    seen = run("from contextlib import suppress\ndef f():\n    with suppress(KeyError):\n        boom()", KeyError())
    assert seen.handled is not None
    assert seen.handled.what == "with suppress(KeyError) at train.py:3"


def test_managers_of_this_library_are_known_by_their_code() -> None:
    for manager in (threading.Condition(), contextlib.closing(threading.Thread()), threading.Semaphore()):
        seen = run("def f():\n    try:\n        with manager: boom()\n    finally: pass", Problem(), names={"manager": manager})
        assert seen.handled is None
