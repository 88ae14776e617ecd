"""An exception that passes many protected frames is searched for a few times, not at each of them."""

from __future__ import annotations

import contextlib
import gc
import sys
import weakref

import pytest

import daifu_bc
from daifu_bc import Retry, recovery
from daifu_bc.crash import ways

DEEP = 150


@pytest.fixture
def searches(monkeypatch):
    """How often the stack was walked."""
    made = []
    walk = recovery.living_stack
    monkeypatch.setattr(recovery, "living_stack", lambda *given: made.append(1) or walk(*given))
    return made


def plainly(n):
    if n == 0:
        raise ValueError
    plainly(n - 1)


def raising_again(n):
    try:
        if n == 0:
            raise ValueError
        raising_again(n - 1)
    except ValueError:
        raise


def finally_(n):
    try:
        if n == 0:
            raise ValueError
        finally_(n - 1)
    finally:
        n = 0


def generating(n):
    if n == 0:
        raise ValueError
    yield from generating(n - 1)


@pytest.mark.parametrize("inner", [plainly, raising_again, finally_, lambda n: list(generating(n))])
def test_an_exception_that_is_caught_far_out_is_searched_for_where_it_was_raised(inner, searches):
    @daifu_bc.protect(scope="module", on_crash=lambda crash: pytest.fail("asked"))
    def outer():
        with contextlib.suppress(KeyError):
            try:
                inner(DEEP)
            except ValueError:
                return "caught"

    assert outer() == "caught"
    assert len(searches) < 10


def test_one_that_nobody_wants_is_searched_for_where_it_was_raised(searches):
    @daifu_bc.protect(scope="module", on_crash=lambda crash: daifu_bc.Abort())
    def outer():
        plainly(DEEP)

    with pytest.raises(ValueError):
        outer()
    assert len(searches) < 10


def test_another_exception_of_the_same_place_is_another_one():
    asked = []

    def mend(crash):
        asked.append(crash.lineno)
        crash.locals["items"][:] = [1]
        return Retry()

    def first(items):
        return items[0]

    def through(items):
        return first(items)

    @daifu_bc.protect(scope="nested", on_crash=mend)
    def outer():
        caught = 0
        for _ in range(50):  # the same frames and exceptions at the same addresses, caught
            try:
                through([])
            except IndexError:
                caught += 1
        return caught, through([])  # and not caught

    for function in (first, through):
        daifu_bc.protect(function, scope="nested", on_crash=mend)
    assert outer() == (50, 1)
    assert len(asked) == 1


def test_nothing_is_kept_alive():
    class Big:
        pass

    seen = []

    def inner():
        big = Big()
        seen.append(weakref.ref(big))
        raise ValueError

    @daifu_bc.protect(scope="module", on_crash=lambda crash: pytest.fail("asked"))
    def outer():
        try:
            inner()
        except ValueError:
            pass

    outer()
    gc.collect()
    assert seen[0]() is None


def test_a_way_is_known_only_as_the_traceback_shows_it():
    def fail():
        raise ValueError

    try:
        fail()
    except ValueError as error:
        frame = sys._getframe()
        ways._way.exception, ways._way.last, ways._way.place = id(error), 1, 0
        ways._way.further = {id(frame): 1}
        assert not ways.is_on_known_way(error, frame)  # the last frame of the way is none of its traceback
    ways.forget()
