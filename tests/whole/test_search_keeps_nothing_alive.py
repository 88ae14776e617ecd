"""Healthy programs: asking whether an exception is a crash keeps no local of the program alive."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import weakref

import pytest

import daifu_bc


class Tensor:
    """Something big."""


def fails():
    return int("x")


def names_the_class_in_a_local(errors=ValueError):
    tensor = Tensor()
    seen = weakref.ref(tensor)
    try:
        fails()
    except errors:
        pass
    del tensor
    return seen() is None


class Trainer:
    errors = (ValueError,)

    def by_an_attribute_of_self(self):
        tensor = Tensor()
        seen = weakref.ref(tensor)
        try:
            fails()
        except self.errors:
            pass
        tensor = None
        return seen() is None


def a_context_manager_in_a_local():
    manager, tensor = contextlib.suppress(ValueError), Tensor()
    seen = weakref.ref(tensor)
    with manager:
        fails()
    tensor = None
    return seen() is None


def a_generator_behind_a_context_manager():
    seen = []

    @contextlib.contextmanager
    def manage(errors):
        tensor = Tensor()
        seen.append(weakref.ref(tensor))
        try:
            yield
        except errors:
            del tensor
            seen.append(seen[0]() is None)

    with manage(ValueError):
        fails()
    return seen[1]


def a_cell(errors=ValueError):
    tensor = Tensor()
    seen = weakref.ref(tensor)

    def inner():
        return tensor, errors

    try:
        fails()
    except errors:
        pass
    tensor = None
    return seen() is None


def a_thread_below_the_entry():
    seen = []

    def work():
        try:
            fails()
        except ValueError:
            seen.append(True)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    gone = weakref.ref(thread)
    del thread, work
    return seen == [True] and gone() is None


def a_coroutine():
    async def run(errors=ValueError):
        tensor = Tensor()
        seen = weakref.ref(tensor)
        try:
            fails()
        except errors:
            pass
        tensor = None
        return seen() is None

    return asyncio.run(run())


PROGRAMS = [
    names_the_class_in_a_local,
    Trainer().by_an_attribute_of_self,
    a_context_manager_in_a_local,
    a_generator_behind_a_context_manager,
    a_cell,
    a_thread_below_the_entry,
    a_coroutine,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_handled_exception_keeps_no_local_alive(program):
    asked = []
    assert program(), "unprotected"
    daifu_bc.protect(program, on_crash=asked.append, scope="module")
    try:
        assert program()
    finally:
        daifu_bc.unprotect(program)
    assert not asked
