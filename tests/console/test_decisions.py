"""What is typed at the prompt becomes a restart."""

from __future__ import annotations

import pytest

from daifu_bc.restarts.restarts import (
    Abort,
    At,
    Jump,
    NextIteration,
    Redo,
    Retry,
    Return,
    Skip,
    Use,
)

BOTH = {"inner", "outer"}


@pytest.mark.parametrize(
    ("line", "restart"),
    [
        ("retry", Retry()),
        ("redo", Redo()),
        ("skip", Skip()),
        ("next-iteration", NextIteration()),
        ("next-iteration 1", NextIteration(1)),
        ("use total + 1", Use(7)),
        ("return rows", Return((1, 2, 3))),
        ("return None", Return(None)),
        ("jump 11", Jump(11)),
        ("j 11", Jump(11)),
        ("abort", Abort()),
        ("c", Retry()),
        ("cont", Retry()),
        ("continue", Retry()),
        ("use [row for row in rows if row != total]", Use([1, 2, 3])),
        ("p total ;; skip", Skip()),
    ],
)
def test_each_command_is_its_restart(talk, line, restart):
    assert talk(line).decision == restart


def test_numbers_pick_what_the_banner_lists(talk):
    session = talk("3")
    assert " 3  skip" in session.text
    assert session.decision == Skip()


def test_numbers_skip_what_is_refused(talk):
    session = talk("1", prepare=lambda crash: crash.refused.update({Retry(): "the generator is finished"}))
    assert "retry" in session.text
    assert "no: the generator is finished" in session.text
    assert session.decision == Redo()


def test_a_number_that_needs_a_value_asks_for_it(talk):
    assert talk("4", "total * 2").decision == Use(12)


def test_a_number_that_needs_a_value_takes_no_for_an_answer(talk):
    assert talk("4", "", "skip").decision == Skip()


def test_a_number_that_is_not_listed_is_an_error(talk):
    session = talk("99", "skip")
    assert "there is no number 99" in session.text
    assert session.decision == Skip()


def test_a_number_never_aborts_without_a_question(talk):
    session = talk("7", "n", "skip")
    assert " 7  abort" in session.text
    assert session.decision == Skip()


def test_numbers_of_another_frame_are_not_picked(talk):
    session = talk("u", "u", "2", "2", program="outer", protected=BOTH)
    assert "the numbers belonged to another frame" in session.text
    assert session.decision == At(1, Redo())


def test_a_refused_restart_stays_at_the_prompt_and_says_why(talk):
    session = talk("skip", "retry", prepare=lambda crash: crash.refused.update({Skip(): "it is the last"}))
    assert "skip is not possible here: it is the last" in session.text
    assert session.decision == Retry()


def test_a_crash_that_cannot_answer_is_a_refusal(talk):
    def prepare(crash):
        can = crash.can
        crash.can = lambda restart: 1 / 0 if restart == Skip() else can(restart)

    session = talk("skip", "redo", prepare=prepare)
    assert "ZeroDivisionError" in session.text
    assert session.decision == Redo()


def test_abort_is_possible_whatever_the_crash_says(talk):
    assert talk("abort", prepare=lambda crash: crash.refused.update({Abort: "no"})).decision == Abort()


@pytest.mark.parametrize(
    "line", ["retry now", "c 3", "continue = 3 +", "next-iteration x", "jump", "jump x", "use"]
)
def test_what_is_not_understood_decides_nothing(talk, line):
    assert talk(line, "skip").decision == Skip()


def test_a_blank_line_does_not_take_a_restart_again(talk):
    session = talk(
        "skip", "", "rows = 3", "", "retry", prepare=lambda crash: crash.refused.update({Skip(): "no"})
    )
    assert session.text.count("skip is not possible") == 1
    assert session.crash.frames[0].actions == ["rows = 3"]
    assert session.decision == Retry()


class TestFrames:
    def test_up_and_down_choose_the_frame(self, talk):
        assert talk("u 2", "retry", program="outer", protected=BOTH).decision == At(1, Retry())

    def test_the_presented_frame_needs_no_at(self, talk):
        assert talk("u 2", "d 2", "retry", program="outer", protected=BOTH).decision == Retry()

    def test_an_inner_living_frame_can_be_chosen(self, talk):
        def prepare(crash):
            crash.frame = 1

        session = talk("d", "d", "use 3", program="outer", protected=BOTH, prepare=prepare)
        assert session.decision == At(0, Use(3))

    def test_continue_takes_the_default_of_the_selected_frame(self, talk):
        def prepare(crash):
            crash.refused[At(1, Retry())] = "it raises again"

        session = talk("u 2", "restarts", "c", program="outer", protected=BOTH, prepare=prepare)
        assert "c takes skip in outer; a number picks" in session.text
        assert session.decision == At(1, Skip())

    def test_an_unprotected_frame_names_the_nearest_protected_one(self, talk):
        session = talk("u", "retry", "c", "3", "restarts", "d", "retry", program="outer", protected=BOTH)
        assert session.text.count("this frame is not protected, no restart applies to it; `") == 4
        assert session.decision == Retry()

    def test_values_are_evaluated_in_the_selected_frame(self, talk):
        session = talk("u 2", "return name", program="outer", protected=BOTH)
        assert session.decision == At(1, Return("outer"))

    def test_abort_is_of_the_run_and_not_of_a_frame(self, talk):
        assert talk("u 2", "abort", program="outer", protected=BOTH).decision == Abort()


class TestDefault:
    def test_the_default_is_named(self, talk):
        assert "c takes retry" in talk("c").text

    @pytest.mark.parametrize(
        ("refused", "taken"),
        [
            ([Retry], Skip()),
            ([Retry, Skip], NextIteration()),
            ([Retry, Skip, NextIteration], Redo()),
        ],
    )
    def test_it_is_the_first_that_is_possible(self, talk, refused, taken):
        session = talk("c", prepare=lambda crash: crash.refused.update(dict.fromkeys(refused, "no")))
        assert session.decision == taken
        assert f"c takes {taken}" in session.text

    def test_continue_never_aborts_without_a_question(self, talk):
        nothing = dict.fromkeys((Retry, Skip, NextIteration, Redo), "no")
        session = talk("c", "n", "use 3", prepare=lambda crash: crash.refused.update(nothing))
        assert "c would abort" in session.text
        assert session.decision == Use(3)


class TestQuit:
    def test_quit_asks_once(self, talk):
        session = talk("q", "y")
        assert session.text.count("[y/N]") == 1
        assert session.decision == Abort()

    @pytest.mark.parametrize("answer", ["n", "", "what", "retry"])
    def test_quit_can_be_taken_back(self, talk, answer):
        session = talk("q", answer, "skip")
        assert "still here" in session.text
        assert session.decision == Skip()

    @pytest.mark.parametrize("command", ["quit", "exit", "EOF"])
    def test_it_has_pdbs_names(self, talk, command):
        assert talk(command, "yes").decision == Abort()

    def test_the_end_of_the_input_asks_and_twice_is_a_yes(self, talk):
        session = talk()
        assert session.text.count("[y/N]") == 1
        assert session.decision == Abort()


def test_what_is_said_first_comes_before_the_prompt(talk):
    session = talk("skip", first="the last restart could not be carried out")
    assert "*** the last restart could not be carried out\n(daifu) " in session.text
