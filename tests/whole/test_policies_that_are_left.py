"""A policy that is interrupted, or says that the program is to end: that goes out, as it would from anywhere else."""

from __future__ import annotations

import asyncio
import traceback

import pytest

import daifu_bc
from daifu_bc import Retry
from whole.crash_at import Boom, Manager, Out, caught_from, notes_of


def left_by(error):
    def policy(crash):
        raise error

    return policy


def leaving(function, *args):
    """What leaves `function`, whatever it is."""
    try:
        function(*args)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def names_in(error):
    return [entry.name for entry in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("always", [(), (KeyboardInterrupt, SystemExit)], ids=["as it is", "always a crash"])
def test_what_ends_programs_goes_out_as_itself(kind, always):
    out, asked, error = Out("x"), [], kind(3)

    def program():
        def inner():
            with Manager(out):
                for _ in range(1):
                    return [out("a"), out("x")]

        try:
            return inner()
        finally:
            out("finally")

    before = len(daifu_bc.recoveries())
    daifu_bc.set_default_policy(asked.append)
    daifu_bc.protect(program, on_crash=left_by(error), scope="nested", always=always)
    seen = leaving(program)
    assert seen is error
    assert type(seen.__context__) is Boom
    assert out.log == ["enter m", "a", f"exit m {kind.__name__}", "finally"]
    assert not asked
    assert len(daifu_bc.recoveries()) == before
    assert names_in(seen) == ["leaving", "program", "inner", "policy"]
    assert names_in(seen.__context__) == ["inner", "__call__"]


def test_in_a_generator_and_in_a_coroutine_too():
    def items(out):
        yield out("a")
        yield out("x")

    async def coroutine(out):
        await asyncio.sleep(0)
        return out("x")

    for function in (items, coroutine):
        daifu_bc.protect(function, on_crash=left_by(SystemExit(4)), scope="nested")
    assert leaving(list, items(Out("x"))).code == 4
    assert leaving(asyncio.run, coroutine(Out("x"))).code == 4


def test_in_a_handler_and_where_a_handler_raised_again():
    def in_handler(out):
        try:
            {}["missing"]
        except KeyError:
            out("x")

    def raised_again(out):
        try:
            out("x")
        except Boom:
            raise

    def caller(out):
        return raised_again(out)

    def raising_from(out):
        try:
            out("x")
        except Boom as error:
            raise RuntimeError from error

    for program in (in_handler, raised_again, caller, raising_from):
        daifu_bc.protect(program, on_crash=left_by(SystemExit(5)), scope="nested")
        assert leaving(program, Out("x")).code == 5


def test_the_program_may_catch_it():
    def program(out):
        try:
            return out("x")
        except SystemExit:
            return "caught"

    daifu_bc.protect(program, on_crash=left_by(SystemExit()), scope="nested")
    assert program(Out("x")) == "caught"


def test_the_next_crash_is_asked_about_again():
    out, errors = Out("x"), [KeyboardInterrupt()]

    def program():
        return out("x")

    def policy(crash):
        if errors:
            raise errors.pop()
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(leaving(program)) is KeyboardInterrupt
    out.where = "x"
    assert program() == "x"


@pytest.mark.parametrize("error", [GeneratorExit(), asyncio.CancelledError(), LookupError("of the policy")])
def test_any_other_failure_of_a_policy_is_a_note_and_the_next_is_asked(error):
    asked = []

    def program(out):
        return out("x")

    daifu_bc.set_default_policy(lambda crash: asked.append(1) or Retry())
    daifu_bc.protect(program, on_crash=left_by(error), scope="nested")
    assert program(Out("x")) == "x"
    assert asked == [1]
    daifu_bc.set_default_policy(None)
    seen = caught_from(program, Out("x"))
    assert type(seen) is Boom
    assert type(error).__name__ in notes_of(seen) and "internal error" not in notes_of(seen)
