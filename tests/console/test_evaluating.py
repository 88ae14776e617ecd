"""Python at the prompt runs where the crash is."""

from __future__ import annotations

import sys

import pytest

from daifu_bc.restarts.restarts import Retry, Skip, Use


@pytest.mark.parametrize("line", ["rows = (1, 2, 3, 4)", "!rows = (1, 2, 3, 4)", "rows += (4,)"])
def test_an_assignment_reaches_the_frame(talk, line):
    session = talk(line, "p len(rows)", "retry")
    assert session.crash.frames[0].actions[0] == line.removeprefix("!")
    assert "\n(daifu) (daifu) 4\n" in session.text


@pytest.mark.parametrize(
    "line", ["n = 10", "s = 1", "c = 3", "a, b = 1, 2", "d.x = 3", "l: int = 3", "q = 1; r = 2"]
)
def test_an_assignment_to_a_name_that_is_also_a_command_is_an_assignment(talk, line):
    session = talk(line, "skip")
    assert session.crash.frames[0].actions == [line]
    assert session.decision == Skip()


def test_deleting_goes_through_run(talk):
    session = talk("del total", "p total", "use 1")
    assert session.crash.frames[0].actions[0] == "del total"
    assert "NameError" in session.text
    assert session.decision == Use(1)


def test_values_are_shown_as_pdb_shows_them(talk):
    text = talk("total", "'text'", "None", "total; index", "skip").text
    assert "(daifu) 6\n(daifu) 'text'\n(daifu) (daifu) 6\n3\n(daifu) " in text


@pytest.mark.parametrize("command", ["p", "pp", "!"])
def test_expressions_run_in_the_frame(talk, command):
    session = talk(f"{command} [index for _ in rows if total]", "skip")
    assert "[3, 3, 3]" in session.text
    assert session.crash.frames[0].actions == ["[index for _ in rows if total]"]


def test_a_statement_is_no_expression(talk):
    session = talk("p rows = 3", "skip")
    assert "*** SyntaxError" in session.text
    assert session.crash.frames[0].actions == []


def test_statements_can_have_several_lines(talk):
    session = talk("for n in rows:", "    total += n", "", "p total", "skip")
    assert session.crash.frames[0].actions[0].splitlines() == ["for n in rows:", "    total += n"]
    assert "12\n" in session.text


def test_an_unfinished_statement_at_the_end_of_the_input_runs_nothing(talk):
    assert talk("for n in rows:").crash.frames[0].actions == []


@pytest.mark.parametrize(
    "line",
    ["1 / 0", "raise SystemExit", "raise KeyboardInterrupt", "p 1 / 0", "use 1 / 0", "p missing", "x =", "p 'half",
     "import sys; sys.exit(3)", "p $'", "whatis 1 / 0", "display 1 / 0", "source 3", "alias", "tbreak x:y:z"],
)  # fmt: skip
def test_an_exception_is_shown_and_does_not_leave_the_prompt(talk, line):
    assert talk(line, "retry").decision == Retry()


def test_statements_are_not_repeated_by_a_blank_line(talk):
    session = talk("total += 1", "", "p total", "skip")
    assert session.crash.frames[0].actions == ["total += 1", "total"]


def test_frames_of_others_are_evaluated_in_pdbs_way(talk):
    session = talk("d", "p rows, index", "index + 1", "u", "skip")
    assert "((1, 2, 3), 3)\n" in session.text
    assert "(daifu) 4\n" in session.text
    assert session.crash.frames[0].actions == []


def test_print_at_the_prompt_goes_to_the_console(talk, capsys):
    session = talk("print('hello')", "p print('again')", "skip")
    assert "hello\n" in session.text
    assert "again\n" in session.text
    assert capsys.readouterr().out == ""


def test_convenience_variables_name_the_crash(talk):
    session = talk("p $_exception", "p $_crash.attempt", "p $_frame.f_code.co_name", "skip")
    assert "IndexError('tuple index out of range')" in session.text
    assert "(daifu) 1\n(daifu) 'train'\n" in session.text


def test_nothing_stays_in_the_modules(talk, programs):
    talk("u", "d", "d", "skip")
    for module in (programs, sys.modules["__main__"]):
        assert [name for name in vars(module) if "pdb" in name] == []


def test_aliases_work(talk):
    assert talk("alias fix rows = (1, 2, 3, %1)", "fix 9", "use rows").decision == Use((1, 2, 3, 9))
