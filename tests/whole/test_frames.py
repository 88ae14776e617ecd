"""`crash.frames`: the living protected frames; where the crash is presented; restarts in another frame."""

from __future__ import annotations

import daifu_bc
from daifu_bc import At, NextIteration, Redo, Retry, Return, Skip, Use
from whole.crash_at import Boom, Manager, Out, caught_from, drive


def names(crash):
    return [frame.function.rpartition(".")[2] for frame in crash.frames]


def run(program, *args, restart):
    """What the run returns, names of the frames at the first crash, number of the presented one."""
    seen = []

    def policy(crash):
        if seen:
            return None
        seen.extend((names(crash), crash.frame))
        return restart(crash) if callable(restart) else restart

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    result = drive(program, *args)
    return result, *seen


def three_deep(out):
    def outer():
        with Manager(out, "outer"):
            out("before")
            result = middle()
            out("after")
            return result

    def middle():
        try:
            return [item for item in inner()]
        finally:
            out("finally")

    def inner():
        for item in (1, 2):
            out(item)
        return ["result"]

    return outer()


def at(name, restart):
    return lambda crash: At(names(crash).index(name), restart)


def test_frames_come_innermost_first_and_the_innermost_is_presented():
    result, seen, number = run(three_deep, Out(2), restart=Retry())
    assert seen == ["inner", "middle", "outer", "three_deep"]
    assert number == 0
    assert result == ["result"]


def test_frames_of_libraries_are_not_among_them():
    def program(out):
        return library(lambda: out("x"))

    _, seen, _ = run(program, Out("x"), restart=Retry())
    assert seen == ["<lambda>", "program"]


def library(function):
    return function()


def test_each_frame_has_all_fields():
    out, seen = Out(2), []

    def policy(crash):
        for frame in crash.frames:
            seen.append((frame.lineno, frame.statement, frame.expression, frame.offset >= 0, type(frame.locals)))
            assert frame.exception is crash.exception
            assert frame.filename == __file__
            assert frame.globals is globals()
            assert list(frame.finished) is not None and frame.can(Retry()) is None
        assert crash.frames[crash.frame] is crash
        return Retry()

    daifu_bc.protect(three_deep, on_crash=policy, scope="nested")
    three_deep(out)
    assert [one[2] for one in seen] == ["out(item)", "inner()", "middle()", "outer()"]


def test_retry_in_an_outer_frame_unwinds_those_inside_and_calls_again():
    out = Out(2)
    result, *_ = run(three_deep, out, restart=at("middle", Retry()))
    assert result == ["result"]
    assert out.log == ["enter outer", "before", 1, 1, 2, "finally", "after", "exit outer"]


def test_retry_two_frames_out_runs_finally_on_the_way():
    out = Out(2)
    run(three_deep, out, restart=at("outer", Retry()))
    assert out.log == ["enter outer", "before", 1, "finally", 1, 2, "finally", "after", "exit outer"]


def test_retry_in_the_root_leaves_with_blocks_on_the_way():
    out = Out(2)
    run(three_deep, out, restart=at("three_deep", Retry()))
    again = ["enter outer", "before", 1, 2, "finally", "after", "exit outer"]
    assert out.log == ["enter outer", "before", 1, "finally", "exit outer Boom", *again]


def test_use_in_an_outer_frame():
    out = Out(2)
    result, *_ = run(three_deep, out, restart=at("outer", Use("used")))
    assert result == "used"
    assert out.log == ["enter outer", "before", 1, "finally", "after", "exit outer"]


def test_skip_in_an_outer_frame():
    def program(out):
        def inner():
            out("inner")

        for i in range(2):
            inner()
            out(i)

    out = Out("inner")
    run(program, out, restart=At(1, Skip()))
    assert out.log == [0, "inner", 1]


def test_next_iteration_in_an_outer_frame():
    def program(out):
        def inner(i):
            out(("inner", i))

        for i in range(3):
            inner(i)
            out(i)

    out = Out(("inner", 1))
    run(program, out, restart=At(1, NextIteration()))
    assert out.log == [("inner", 0), 0, ("inner", 2), 2]


def test_next_iteration_of_a_loop_around_the_one_that_waits_for_a_generator():
    def program(out):
        def items(i):
            for j in range(2):
                yield out((i, j))

        seen = []
        for i in range(3):
            for item in items(i):
                seen.append(item)
        return seen

    result, *_ = run(program, Out((1, 1)), restart=At(1, NextIteration(1)))
    assert result == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]


def test_redo_in_an_outer_frame():
    def program(out):
        def inner():
            return out("inner")

        return out("a") + inner()

    out = Out("inner")
    result, *_ = run(program, out, restart=At(1, Redo()))
    assert result == "ainner"
    assert out.log == ["a", "a", "inner"]


def test_return_in_an_outer_frame():
    out = Out(2)
    result, *_ = run(three_deep, out, restart=at("outer", Return("returned")))
    assert result == "returned"
    assert out.log[-2:] == ["finally", "exit outer Boom"]


def test_an_outer_frame_with_a_policy_of_another_entry_can_be_chosen():
    out = Out("x")

    def called():
        return out("x")

    def program():
        return called(), "end"

    daifu_bc.protect(called, on_crash=lambda crash: At(1, Use("used")), scope="nested")
    daifu_bc.protect(program, scope="nested")
    assert program() == ("used", "end")


def test_callers_of_the_root_are_not_among_the_frames():
    out = Out("x")

    def caller():
        return program()

    def program():
        return out("x")

    seen = []

    def policy(crash):
        seen.append(names(crash))

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(caller)) is Boom
    assert seen == [["program"]]
