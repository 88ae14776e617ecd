"""Return leaves a frame with a value; abort lets the exception go on as if nobody had been asked."""

from __future__ import annotations

import traceback

import daifu_bc
from daifu_bc import Abort, At, Retry, Return
from whole.crash_at import Boom, Items, Manager, Out, caught_from, crash_at, drive, notes_of


@crash_at(2, Return(5), [1], result=5)
def test_return_leaves_the_function(out):
    out(1)
    out(2)
    out(3)


@crash_at(2, Return(), [1], result=None)
def test_return_without_a_value(out):
    out(1)
    return out(2)


@crash_at((1, 1), Return("r"), ["enter m", (0, 0), (0, 1), (1, 0), "exit m Boom", "finally"], result="r")
def test_return_leaves_with_and_finally_on_the_way(out):
    try:
        with Manager(out):
            for i in range(3):
                for j in range(2):
                    out((i, j))
    finally:
        out("finally")
    return "not this"


@crash_at("handler", Return("r"), [], result="r")
def test_return_out_of_an_except_clause(out):
    try:
        {}["missing"]
    except KeyError:
        out("handler")


@crash_at("inner", Return(7), ["after"], result=7)
def test_return_goes_back_to_the_caller(out):
    def inner():
        return out("inner")

    x = inner()
    out("after")
    return x


@crash_at("b", Return("end"), ["a", "after"], result=["a"])
def test_return_from_a_generator_ends_it(out):
    def items():
        yield out("a")
        yield out("b")
        yield out("c")

    seen = list(items())
    out("after")
    return seen


@crash_at("b", Return("end"), ["a", "end"])
def test_return_from_a_generator_is_the_value_of_yield_from(out):
    def items():
        yield out("a")
        yield out("b")

    def outer():
        out((yield from items()))

    list(outer())


@crash_at("b", Return("r"), ["a", "after"], result="r")
async def test_return_from_a_coroutine(out):
    async def inner():
        out("a")
        out("b")

    x = await inner()
    out("after")
    return x


@crash_at("b", Return(), ["a", "after"], result=["a"])
async def test_return_from_an_async_generator(out):
    async def items():
        yield out("a")
        yield out("b")

    seen = [item async for item in items()]
    out("after")
    return seen


@crash_at("b", Return(3), refused="can only return None")
async def test_return_of_a_value_from_an_async_generator_is_refused(out):
    async def items():
        yield out("a")
        yield out("b")

    return [item async for item in items()]


@crash_at("field", Return(3), refused="__init__ can only return None")
def test_return_of_a_value_from_init_is_refused(out):
    class Made:
        def __init__(self):
            self.field = out("field")

    return Made()


@crash_at("field", Return(), ["after"])
def test_return_of_none_from_init(out):
    class Made:
        def __init__(self):
            self.field = out("field")

    made = Made()
    out("after")


def aborted(program, *args, restart=None):
    """What an aborted program raises, and how often somebody was asked."""
    asked = []

    def policy(crash):
        asked.append(crash.function)
        return Abort() if restart is None else restart

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    return caught_from(program, *args), asked


def test_abort_lets_the_very_exception_out():
    error = Boom("this one")

    def program():
        raise error

    raised, asked = aborted(program)
    assert raised is error
    assert len(asked) == 1
    assert not notes_of(error)
    assert [entry.name for entry in traceback.extract_tb(error.__traceback__)][-1] == "program"


def test_abort_runs_finally_exit_and_handlers_that_raise_again():
    out = Out("body")

    def program():
        try:
            with Manager(out):
                try:
                    out("body")
                except Boom:
                    out("handler")
                    raise
        finally:
            out("finally")

    raised, asked = aborted(program)
    assert type(raised) is Boom
    assert out.log == ["enter m", "handler", "exit m Boom", "finally"]
    assert len(asked) == 1


def test_abort_inside_a_generator_asks_nobody_further_out():
    out = Out(1)

    def program():
        def items():
            for item in range(3):
                yield out(item)

        return list(items())

    raised, asked = aborted(program)
    assert type(raised) is Boom
    assert len(asked) == 1


def test_the_next_crash_after_an_abort_is_asked_again():
    def program(key):
        return {}[key]

    asked = []

    def policy(crash):
        asked.append(crash.attempt)
        return Abort()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    for key in "ab":
        assert type(caught_from(program, key)) is KeyError
    assert asked == [1, 1]


def test_abort_for_an_exception_that_is_raised_twice():
    """The same exception object, raised again after an abort was let out of the root, is a new crash."""
    error, asked = Boom(), []

    def program():
        raise error

    def policy(crash):
        asked.append(crash.exception)
        return Abort()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert caught_from(program) is error
    assert caught_from(program) is error
    assert asked == [error, error]


def test_abort_with_always_goes_to_the_programs_own_handler():
    out = Out("a")

    def program():
        try:
            out("a")
        except Boom:
            return "handled"

    daifu_bc.protect(program, on_crash=lambda crash: Abort(), scope="nested", always=(Boom,))
    assert program() == "handled"


def test_always_asks_where_the_program_would_handle_it():
    out = Out("a")

    def program():
        try:
            return out("a")
        except Boom:
            return "handled"

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested", always=(Boom,))
    assert program() == "a"


def test_always_may_be_a_function_of_the_exception():
    def program(out):
        try:
            return out("a")
        except Boom:
            return "handled"

    def on_crash(crash):
        return Retry()

    daifu_bc.protect(program, on_crash=on_crash, scope="nested", always=lambda error: error.args == ("a",))
    assert program(Out("a")) == "a"
    daifu_bc.protect(program, on_crash=on_crash, scope="nested", always=lambda error: error.args == ("b",))
    assert program(Out("a")) == "handled"


def test_without_always_the_programs_own_handler_takes_it():
    asked = []

    def program(out):
        try:
            return out("a")
        except Boom:
            return "handled"

    daifu_bc.protect(program, on_crash=asked.append, scope="nested")
    assert program(Out("a")) == "handled"
    assert not asked


def test_a_caller_that_names_the_class_handles_it():
    asked = []

    def program(out):
        return out("a")

    daifu_bc.protect(program, on_crash=asked.append, scope="nested")
    try:
        program(Out("a"))
    except Boom:
        pass
    assert not asked


def test_return_in_an_outer_frame_unwinds_those_inside():
    out = Out("inner")

    def program():
        def outer():
            with Manager(out, "outer"):
                return middle()

        def middle():
            try:
                return out("inner")
            finally:
                out("finally")

        return outer(), out("after")

    daifu_bc.protect(program, on_crash=lambda crash: At(1, Return("r")), scope="nested")
    assert drive(program) == ("r", "after")
    assert out.log == ["enter outer", "finally", "exit outer Boom", "after"]


@crash_at("next 2", Return("r"), ["next 1", 1], result="r")
def test_return_from_a_loop_header(out):
    for item in Items(out, 1, 2):
        out(item)
