"""Exceptions that are left alone, and those that look alike but are crashes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from crash.search_harness import Problem, run
from daifu_bc.crash.search import left_alone


@pytest.mark.parametrize(
    "exception",
    [
        GeneratorExit(), KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError(), StopAsyncIteration(),
        BaseException(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_these_are_never_crashes(exception: BaseException) -> None:
    assert left_alone(exception, []) is not None
    assert run("def f():\n    boom()", exception).alone is not None


@pytest.mark.parametrize(
    "exception", [KeyError(), StopIteration(), AttributeError(), IndexError(), Problem()]
)
def test_in_a_plain_function_they_may_be_crashes(exception: BaseException) -> None:
    assert run("def f():\n    boom()", exception).alone is None


def test_a_group_that_holds_more_than_exceptions_is_left_alone() -> None:
    assert left_alone(BaseExceptionGroup("g", [KeyboardInterrupt()]), []) is not None
    assert left_alone(ExceptionGroup("g", [KeyError()]), []) is None


ITERATOR = """
class I:
    def __iter__(self): return self
    def __next__(self): return self.helper()
    def helper(self): boom()
def f():
    {}
"""


def test_stop_iteration_out_of_next_ends_an_iteration() -> None:
    assert run(ITERATOR.format("for x in I(): pass"), StopIteration()).alone is not None
    assert run(ITERATOR.format("return next(I())"), StopIteration()).alone is not None
    assert run(ITERATOR.format("for x in I(): pass"), KeyError()).alone is None


def test_stop_iteration_that_map_passes_on_ends_the_loop() -> None:
    source = "def g(x): boom()\ndef f():\n    for x in map(g, [1, 2]): pass"
    seen = run(source, StopIteration())
    assert seen.alone is not None and seen.escaped is None


def test_stop_iteration_in_a_generator_expression_is_left_alone() -> None:
    assert run("def f():\n    list(boom() for x in [1])", StopIteration()).alone is not None


def test_stop_iteration_in_a_generator_function_is_a_crash() -> None:
    source = "def g():\n    boom()\n    yield\ndef f():\n    for x in g(): pass"
    assert run(source, StopIteration()).alone is None


ATTRIBUTES = """
import functools
class A:
    def __getattr__(self, name):
        if name == "missing": self.helper()
        raise AttributeError(name)
    def helper(self): boom()
    @property
    def prop(self): boom()
    @functools.cached_property
    def cached(self): boom()
    lazy = property(lambda self: boom())
    def method(self): boom()
class D:
    def __get__(self, one, cls): boom()
class B: d = D()
def f():
    {}
"""


@pytest.mark.parametrize(
    ("statement", "alone"),
    [
        ("A().missing", True),
        ("getattr(A(), 'missing', 1)", True),
        ("A().prop", True),
        ("hasattr(A(), 'prop')", True),
        ("A().cached", True),
        ("A().lazy", True),
        ("B().d", True),
        ("A().method()", False),
        ("boom()", False),
    ],
)
def test_attribute_errors_have_a_meaning_out_of_attributes(statement: str, alone: bool) -> None:
    assert (run(ATTRIBUTES.format(statement), AttributeError()).alone is not None) == alone
    assert run(ATTRIBUTES.format(statement), Problem()).alone is None


ITEMS = """
class S:
    def __getitem__(self, index): boom()
    def get(self, index): return self[index]
class M(dict):
    def __missing__(self, key): boom()
def f():
    {}
"""


@pytest.mark.parametrize(
    ("statement", "exception", "unprotected", "alone"),
    [
        ("S()[0]", IndexError(), (), False),
        ("S()[0]", KeyError(), (), False),
        ("S().__getitem__(0)", IndexError(), (), False),
        ("M()[0]", KeyError(), (), False),
        ("S().get(0)", IndexError(), ("get",), True),
        ("for x in S(): pass", IndexError(), (), True),
        ("list(S())", IndexError(), (), True),
        ("3 in S()", IndexError(), (), True),
        ("next(iter(S()), 0)", IndexError(), (), True),
        ("for x in S(): pass", Problem(), (), False),
    ],
)
def test_lookup_errors_have_a_meaning_out_of_getitem_unless_protected_code_asks(
    statement: str, exception: BaseException, unprotected: tuple[str, ...], alone: bool
) -> None:
    assert (run(ITEMS.format(statement), exception, unprotected=unprotected).alone is not None) == alone


THROWN = """
def g():
    {}
def f():
    it = g()
    {}
    try: it.throw(KeyError("thrown"))
    except KeyError as e: look(e, g)
    boom()
"""


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("yield 1", "next(it)"),
        ("yield 1", "pass"),
        ("try: yield 1\n    finally: print(end='')", "next(it)"),
        ("try: yield 1\n    except KeyError: raise", "next(it)"),
        ("x = yield 1\n    yield x", "next(it); next(it)"),
        ("yield from iter([1])", "next(it)"),
        ("x = [(yield_ := 1), (yield 2)]", "next(it)"),
    ],
)
def test_what_is_thrown_into_a_generator_is_left_alone(body: str, before: str) -> None:
    found: list[str | None] = []
    run(THROWN.format(body, before), Problem(), names={"look": _look_in(found)})
    assert found[0] is not None and "thrown" in found[0]


def _look_in(found: list[str | None]) -> Any:
    """Asks by the traceback's entry for the frame of the generator, as its barrier would."""
    from daifu_bc.crash.search import Level

    def look(error: BaseException, function: Any) -> None:
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code is not function.__code__:
            entry = entry.tb_next
        assert entry is not None
        level = Level(entry.tb_frame, entry.tb_frame.f_code, entry.tb_lasti, True, True)
        found.append(left_alone(error, [level]))

    return look


def test_what_a_generator_raises_by_itself_is_no_throw() -> None:
    source = """
def g():
    x = yield 1
    len(x)
def f():
    it = g()
    next(it)
    try: it.send(3)
    except TypeError as e: look(e, g)
    boom()
"""
    found: list[str | None] = []
    run(source, Problem(), names={"look": _look_in(found)})
    assert found == [None]


def test_an_awaited_call_that_fails_is_no_throw() -> None:
    source = """
async def g(): boom()
async def f(): await g()
"""
    assert run(source, KeyError()).alone is None
