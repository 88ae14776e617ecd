"""What is shown first."""

from __future__ import annotations

import gc
import weakref

import pytest

from daifu_bc.console.banner import plain, statement_lines
from daifu_bc.console.frames import Stack
from daifu_bc.console.local import ask


class Frame:
    def __init__(self, statement, expression):
        self.statement = statement
        self.expression = expression


def shown(statement, expression, width=80):
    return [plain(line) for line in statement_lines(Frame(statement, expression), width)]


class TestStatement:
    def test_a_narrower_expression_is_marked(self):
        assert shown("y = f(g(x))", "g(x)") == ["  y = f(g(x))", "        ^^^^"]

    def test_the_whole_statement_is_not(self):
        assert shown("f(x)", "f(x)") == ["  f(x)"]

    def test_one_of_several_alike_is_named_and_not_marked(self):
        assert shown("y = f(x) + f(x)", "f(x)") == ["  y = f(x) + f(x)", "  in f(x)"]

    def test_in_a_statement_of_several_lines(self):
        assert shown("y = f(\n    g(x),\n)", "g(x)") == ["  y = f(", "      g(x),", "      ^^^^", "  )"]

    def test_an_expression_of_several_lines_is_named(self):
        assert shown("y = f(\n    g(x),\n)", "f(\n    g(x),\n)")[-1] == "  in f( g(x), )"

    def test_tabs_keep_the_mark_in_place(self):
        assert shown("\ty =\tf(x)", "f(x)")[-1].index("^") == shown("\ty =\tf(x)", "f(x)")[0].index("f")

    def test_long_statements_are_cut(self):
        lines = shown("\n".join(f"f({n})" for n in range(99)), "")
        assert lines[-1] == "  ... 87 lines more"
        assert max(map(len, shown("x = " + "y" * 999, "y" * 999))) <= 80

    def test_nothing_known(self):
        assert shown("", "") == []


def test_the_banner_tells_everything(talk, fake):
    def prepare(crash):
        crash.attempt = 3
        crash.frames[0].expression = "unwound(rows, index)"
        crash.exception.add_note("a note")

    text = talk("skip", prepare=prepare).text
    assert "IndexError: tuple index out of range\na note\nin train  " in text
    assert "programs.py:14  crashed here 3 times in a row\n" in text
    assert "  total += unwound(rows, index)\n           ^^^^^^^^^^^^^^^^^^^^\n" in text
    assert "  total = 6\n  rows = (1, 2, 3)\n  index = 3\n" in text
    assert "c  1  retry        evaluate unwound(rows, index) again\n" in text


def test_a_first_crash_is_not_counted(talk):
    assert "in a row" not in talk("skip").text


@pytest.mark.parametrize("broken", ["repr", "message", "locals"])
def test_what_is_broken_does_not_break_it(talk, broken):
    class Broken(IndexError):
        def __str__(self):
            raise ValueError

    class BadLocals(dict):
        def __getitem__(self, name):
            raise RuntimeError

    def prepare(crash):
        if broken == "message":
            crash.exception.__class__ = Broken
        elif broken == "locals":
            crash.frames[0].locals = BadLocals()
        else:
            crash.frames[0].run("rows = type('Bad', (), {'__repr__': lambda self: 1 / 0})()")

    def possible(crash):
        try:
            prepare(crash)
        except TypeError:  # the class of a built-in exception cannot be changed
            crash.exception = Broken()

    session = talk("skip", prepare=possible)
    assert "c takes retry" in session.text
    assert str(session.decision) == "skip"


def test_a_pause_has_no_exception(talk):
    def prepare(crash):
        crash.exception = None

    session = talk("exceptions", "w", "q", "n", "skip", prepare=prepare)
    assert "paused\nin train" in session.text
    assert str(session.decision) == "skip"


def test_long_messages_are_cut(talk):
    def prepare(crash):
        crash.exception.args = ("\n".join("line \x1b[2J" * 200 for _ in range(50)),)

    text = talk("skip", prepare=prepare).text
    assert "... 42 lines more" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 300


def test_nothing_of_the_crash_is_kept(fake, programs):
    import io

    seen = []

    def decide(crash):
        seen.append(weakref.ref(crash))
        return ask(crash, stdin=io.StringIO("u\nd\np rows\n1/0\nuse rows\n"), stdout=io.StringIO())

    gc.disable()
    try:
        programs.train(fake.crashing(decide))
        assert seen[0]() is None
    finally:
        gc.enable()


class TestStack:
    def test_an_emptied_frame_of_the_same_function_is_left_out(self, fake):
        # a resumed function goes on in a frame of its own, which its first frame has called
        def resumed(again):
            if again:
                return resumed(False)
            try:
                raise ValueError
            except ValueError as error:
                crash = fake.take(error, {"resumed"})
            names = [frame.f_code.co_name for frame, _ in Stack(crash).entries()]
            both = names.count("resumed")
            crash.frames.pop()  # the first frame is not among the living ones any more
            names = [frame.f_code.co_name for frame, _ in Stack(crash).entries()]
            return both, names.count("resumed")

        assert resumed(True) == (2, 1)

    def test_frames_of_the_traceback_that_are_alive_are_shown_once(self, fake):
        def inner():
            raise ValueError

        def protected():
            try:
                inner()
            except ValueError as first:
                try:
                    raise first
                except ValueError as error:
                    return [
                        frame.f_code.co_name for frame, _ in Stack(fake.take(error, {"protected"})).entries()
                    ]

        names = protected()
        assert names.count("protected") == 1
        assert names[-1] == "inner"
