"""Healthy programs whose exceptions C code takes, or the interpreter prints and forgets: nobody is asked."""

from __future__ import annotations

import asyncio
import copy
import functools
import gc
import itertools
import operator
import os
import signal
import sys
import weakref

import pytest

import daifu_bc
from whole.crash_at import caught_from


def missing(name):
    raise AttributeError(name)


def no_length():
    raise TypeError("it has no length")


def ends():
    raise StopIteration


class Attributes:
    def by_another_name(self):
        return missing("hidden")

    def decorated(function):
        @functools.wraps(function)
        def wrapper(*args, **options):
            return function(*args, **options)

        return wrapper

    hidden = property(by_another_name)
    with_default = property(lambda self, more=1: missing("with_default"))
    partial = property(functools.partial(missing))
    cached = functools.cached_property(by_another_name)

    @property
    @decorated
    def wrapped(self):
        return missing("wrapped")

    @property
    def __class__(self):
        return missing("class")

    def __getattr__(self, name):
        return missing(name)


NAMES = ("hidden", "with_default", "partial", "wrapped", "absent", "cached")


def has_no_attribute():
    return [hasattr(Attributes(), name) for name in NAMES]


def attributes_with_a_default():
    return [getattr(Attributes(), name, None) for name in NAMES]


def instance_of_something_without_a_class():
    return isinstance(Attributes(), int)


class NoLength:
    def __iter__(self):
        return iter([1, 2])

    def __len__(self):
        return no_length()

    def __length_hint__(self):
        return no_length()


def lists_of_what_has_no_length():
    items = [0]
    items.extend(NoLength())
    a, *rest = NoLength()
    return list(NoLength()), [*NoLength()], tuple(NoLength()), items, sorted(NoLength()), a, rest


def length_hints():
    return operator.length_hint(NoLength(), 7)


def bytes_of_what_has_no_index():
    class Items:
        def __index__(self):
            raise TypeError

        def __iter__(self):
            return iter([1, 2])

    return bytes(Items()), bytearray(Items())


class Source:
    def __init__(self):
        self.left = [1, 2, 3]

    def take(self, _=None):
        return self.left.pop(0) if self.left else ends()


def functions_asked_for_items():
    takes, forever = Source().take, itertools.repeat(1)
    items = [0]
    items.extend(map(Source().take, forever))
    return (
        list(iter(takes, None)), list(map(Source().take, forever)), sum(map(Source().take, forever)),
        [*map(Source().take, forever)], 9 in map(Source().take, forever), next(map(ends, ()), 5), items,
        (lambda *args: args)(*map(Source().take, forever)), [x for x in map(Source().take, forever)],
    )  # fmt: skip


def items_by_index():
    class Items:
        def __getitem__(self, index):
            return self.at(index)

        def at(self, index):
            if index > 2:
                raise IndexError
            return index

    return list(Items()), 9 in Items(), [*Items()], dict(zip(Items(), Items())), list(reversed([*Items()]))


class Fails:
    def __del__(self):
        self.helper()

    def helper(self):
        raise ValueError("printed")


def finalizers():
    one = Fails()
    del one
    two, three = Fails(), [Fails()]
    two = None
    three.clear()
    len([Fails()])
    Fails()
    for _ in range(2):
        made = Fails()
    return made is not None


def a_kept_result_with_a_finalizer():
    return str(len([Fails()])) + str(id(Fails()) > 0)


def callbacks_of_weak_references():
    def gone(reference, more=1):
        raise ValueError("printed")

    class Thing:
        pass

    one = Thing()
    reference = weakref.ref(one, gone)
    del one
    two = Thing()
    weakref.finalize(two, missing, "printed")
    two = None
    kept = [Thing()]
    another = weakref.ref(kept[0], lambda dead: missing("printed"))
    kept.clear()
    return reference() is another()


def callbacks_of_the_collector():
    def callback(phase, info):
        missing("printed")

    gc.callbacks.append(callback)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(callback)


def a_hook_that_fails():
    def hook(unraisable):
        missing("printed")

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        one = Fails()
        del one
    finally:
        sys.unraisablehook = before


def generators_closed_by_nobody():
    def generate():
        try:
            yield 1
            yield 2
        finally:
            missing("printed")

    for _ in generate():
        break
    one = generate()
    next(one)
    del one
    return [x for x in itertools.islice(generate(), 1)]


def copies():
    class Thing:
        def __getattr__(self, name):
            return missing(name)

    return type(copy.copy(Thing())).__name__


HEALTHY = [
    has_no_attribute, attributes_with_a_default, instance_of_something_without_a_class, lists_of_what_has_no_length,
    length_hints, bytes_of_what_has_no_index, functions_asked_for_items, items_by_index, finalizers,
    a_kept_result_with_a_finalizer, callbacks_of_weak_references, callbacks_of_the_collector, a_hook_that_fails,
    generators_closed_by_nobody, copies,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("keep", ["calls", "all"])
@pytest.mark.parametrize("program", HEALTHY, ids=lambda program: program.__name__)
def test_what_nobody_dies_of_is_not_asked(program, keep, monkeypatch):
    asked = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: None)
    expected = program()

    def policy(crash):
        asked.append((crash.function, crash.exception))

    daifu_bc.protect(program, on_crash=policy, scope="module", keep=keep)
    try:
        assert program() == expected
    finally:
        daifu_bc.unprotect(program)
    assert not asked


def asks_for_a_length():
    return len(NoLength())


def truth_of_what_has_no_length():
    return 5 if NoLength() else 6


def a_finalizer_that_is_called():
    one = Fails.__new__(Fails)
    one.helper = lambda: None
    return Fails.__del__(Plain())


class Plain:
    def helper(self):
        return int("x")


def a_key_function():
    return sorted([1, 2], key=lambda number: number.missing)


def an_iterator_that_is_asked_once_too_often():
    def take():
        return next(iter([]))

    return take()


def a_dead_reference_as_an_argument():
    def look(reference):
        return reference().missing

    return look(weakref.ref(Plain()))


def a_finalizer_that_is_called_early():
    plain = Plain()
    return weakref.finalize(plain, int, "x")()


def a_generator_that_is_closed():
    def generate():
        try:
            yield
        finally:
            int("x")

    one = generate()
    next(one)
    one.close()


def a_generator_that_another_waits_for():
    def inner():
        try:
            yield
        except ValueError:
            int("x")

    def outer():
        yield from inner()

    one = outer()
    next(one)
    try:
        one.throw(KeyError)
    except KeyError:
        pass
    one = outer()
    next(one)
    try:
        one.throw(ValueError("thrown in"))
    except KeyError:
        pass


def an_async_generator_that_is_closed():
    async def generate():
        try:
            yield
        finally:
            int("x")

    async def run():
        one = generate()
        await anext(one)
        await one.aclose()

    asyncio.run(run())


@pytest.mark.parametrize(
    "program",
    [
        asks_for_a_length, truth_of_what_has_no_length, a_finalizer_that_is_called, a_key_function,
        an_iterator_that_is_asked_once_too_often, a_dead_reference_as_an_argument, a_finalizer_that_is_called_early,
        a_generator_that_is_closed, a_generator_that_another_waits_for, an_async_generator_that_is_closed,
    ],
    ids=lambda program: program.__name__,
)  # fmt: skip
def test_what_a_run_dies_of_is_asked(program):
    kind, asked = type(caught_from(program)), []
    daifu_bc.protect(program, on_crash=lambda crash: asked.append(type(crash.exception)), scope="module")
    try:
        caught_from(program)
    finally:
        daifu_bc.unprotect(program)
    assert asked and set(asked) == {kind}


def test_a_signal_handler_that_raises_is_asked():
    asked = []

    def handler(number, frame):
        raise ValueError("too long")

    def program():
        os.kill(os.getpid(), signal.SIGUSR1)
        for number in range(10):
            pass
        return number

    def policy(crash):
        asked.append(crash.function)

    before = signal.signal(signal.SIGUSR1, handler)
    daifu_bc.protect(program, on_crash=policy, scope="module")
    try:
        assert type(caught_from(program)) is ValueError
    finally:
        daifu_bc.unprotect(program)
        signal.signal(signal.SIGUSR1, before)
    assert asked
