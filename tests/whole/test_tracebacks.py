"""Exceptions after a recovery: one traceback entry per function, none of ours, the lines of an undisturbed run."""

from __future__ import annotations

import contextlib
import inspect
import sys
import traceback
from pathlib import Path

import pytest

import daifu_bc
from daifu_bc import Abort, NextIteration, Redo, Retry, Skip, Use
from whole.crash_at import Boom, Items, Out, caught_from, drive

PACKAGE = Path(daifu_bc.__file__).parent


def entries(error):
    """(function, line) of each traceback entry below the driver's."""
    found = [(entry.name, entry.lineno, entry.line) for entry in traceback.extract_tb(error.__traceback__)]
    names = [name for name, _, _ in found]
    return found[names.index("program") :]


def same_as_unprotected(program, where, restart=Retry()):
    """The last exception of a recovered run has the traceback of a run in which nothing failed before it."""
    expected = entries(caught_from(drive, program, Out()))
    log = []

    def policy(crash):
        log.append(crash)
        return restart if isinstance(crash.exception, Boom) else Abort()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    error = caught_from(drive, program, Out(where))
    assert len(log) == 2
    log.clear()
    assert entries(error) == expected
    assert error.__context__ is None and error.__cause__ is None
    assert not getattr(error, "__notes__", None)


def test_in_plain_code():
    def program(out):
        out(1)
        out(2)
        return {}["missing"]

    same_as_unprotected(program, 2)


@pytest.mark.parametrize("restart", [Retry(), Redo(), Skip(), NextIteration(), Use(5)], ids=str)
def test_after_each_restart(restart):
    def program(out):
        for i in range(3):
            out(i)
        return {}["missing"]

    same_as_unprotected(program, 1, restart)


def test_when_the_same_statement_fails_otherwise():
    def program(out):
        return [out(1), out(2), {}["missing"]]

    same_as_unprotected(program, 2)


def test_in_nested_calls_with_a_library_between():
    def program(out):
        def inner():
            out("inner")
            raise KeyError

        out("outer")
        return library(inner)

    same_as_unprotected(program, "inner")
    same_as_unprotected(program, "outer")


def library(function):
    return [function() for _ in range(1)]


def test_in_a_generator():
    def program(out):
        def items():
            yield out("a")
            yield out("b")
            {}["missing"]

        return list(items())

    same_as_unprotected(program, "b")


def test_in_a_generator_that_lets_stop_iteration_out():
    def program(out):
        def items():
            yield out("b")
            yield next(iter([]))

        return list(items())

    expected = entries(caught_from(drive, program, Out()))
    policy = lambda crash: Retry() if isinstance(crash.exception, Boom) else Abort()  # noqa: E731
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    error = caught_from(drive, program, Out("b"))
    assert type(error) is RuntimeError and type(error.__cause__) is StopIteration
    assert entries(error) == expected


def test_in_a_generator_expression():
    def program(out):
        return list({}[item] if item == 2 else out(item) for item in range(3))

    same_as_unprotected(program, 1)


def test_in_a_coroutine():
    async def program(out):
        async def inner():
            out("inner")
            return {}["missing"]

        out("outer")
        return await inner()

    same_as_unprotected(program, "inner")
    same_as_unprotected(program, "outer")


def test_in_an_async_generator():
    async def program(out):
        async def items():
            yield out("a")
            yield {}["missing"]

        return [item async for item in items()]

    same_as_unprotected(program, "a")


def test_in_a_class_body():
    def program(out):
        class Made:
            a = out("a")
            b = {}["missing"]

    same_as_unprotected(program, "a")


def test_nothing_of_ours_is_on_the_stack_of_a_recovered_class_body():
    def program(out):
        class Made:
            a = out("a")
            files = [frame.filename for frame in inspect.stack(0)]

            def cell(self):
                return __class__

        return Made.files, Made().cell() is Made

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    files, is_filled = program(Out("a"))
    assert is_filled
    assert not [file for file in files if file.startswith(str(PACKAGE))]


def test_in_a_loop_header():
    def program(out):
        for _ in Items(out, 1, 2):
            pass
        return {}["missing"]

    same_as_unprotected(program, "next 2")


def test_a_retry_that_fails_again_and_is_aborted_looks_like_the_first_failure():
    def program(out):
        return [out(1), {}["missing"]]

    expected = entries(caught_from(program, Out()))
    asked = []

    def policy(crash):
        asked.append(1)
        return Retry() if len(asked) < 4 else Abort()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    error = caught_from(program, Out())
    assert entries(error) == expected
    assert len(asked) == 4


def test_an_aborted_exceptions_traceback_is_that_of_the_unprotected_run():
    def program(out):
        def inner():
            with contextlib.suppress(ValueError):
                return [out(1)]

        try:
            return inner()
        finally:
            out("finally")

    expected = entries(caught_from(program, Out(1)))
    daifu_bc.protect(program, on_crash=lambda crash: Abort(), scope="nested")
    assert entries(caught_from(program, Out(1))) == expected


def test_the_handled_exception_is_the_programs_own():
    def program(out):
        try:
            {}["first"]
        except KeyError as error:
            out("x")
            inside = sys.exception() is error
            try:
                {}["second"]
            except KeyError as second:
                return inside, second.__context__ is error, out(sys.exception() is second)
        return None

    for where in ("x", True):
        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(Out(where)) == (True, True, True)
        assert sys.exc_info() == (None, None, None)


def test_no_exception_is_handled_after_a_recovery_outside_of_handlers():
    def program(out):
        out("x")
        first = sys.exception()
        for _ in range(2):
            out("y")
        return first, sys.exception()

    for where in ("x", "y"):
        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(Out(where)) == (None, None)


def test_a_bare_raise_after_a_recovery_in_a_handler_raises_the_handled_one():
    def program(out):
        try:
            {}["first"]
        except KeyError:
            out("x")
            raise

    def policy(crash):
        return Retry() if isinstance(crash.exception, Boom) else None

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    error = caught_from(program, Out("x"))
    assert type(error) is KeyError and error.args == ("first",)
    assert [name for name, *_ in entries(error)] == ["program"]


def test_the_callers_that_the_recovered_function_sees():
    def program(out):
        out("x")
        return [(frame.function, frame.lineno is not None) for frame in inspect.stack(0)]

    unprotected = [name for name, _ in program(Out())]
    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    seen = program(Out("x"))
    assert all(has_line for _, has_line in seen)
    deduplicated = [name for (name, _), (after, _) in zip(seen, [*seen[1:], ("", True)]) if name != after]
    assert deduplicated[:2] == unprotected[:2]


def test_frames_of_a_traceback_show_the_variables_as_they_are():
    def program(out):
        value = 1
        out("x")
        value = 2
        return {}["missing"]

    daifu_bc.protect(program, on_crash=lambda c: Retry() if isinstance(c.exception, Boom) else None, scope="nested")
    error = caught_from(program, Out("x"))
    frame = next(f for f, _ in traceback.walk_tb(error.__traceback__) if f.f_code.co_name == "program")
    assert frame.f_locals["value"] == 2
