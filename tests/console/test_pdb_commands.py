"""pdb's commands keep their names, and their meaning where a crash has one for them."""

from __future__ import annotations

import pdb  # noqa: T100  # what is compared with
import sys

import pytest

from daifu_bc.console.commands import Console
from daifu_bc.restarts.restarts import Skip, Use


def test_every_command_of_pdb_is_there():
    assert {name for name in dir(pdb.Pdb) if name.startswith("do_")} <= set(dir(Console))


def test_every_command_has_help():
    commands = [name for name in dir(Console) if name.startswith("do_")]
    assert [name for name in commands if not getattr(Console, name).__doc__] == []


def test_where_shows_living_and_unwound_frames(talk):
    text = talk("w", "skip").text
    assert "> " in text
    train, unwound = (
        text.index("train()  [protected]\n-> total +="),
        text.index("unwound()\n-> return rows[index]"),
    )
    assert train < unwound


def test_where_shows_the_line_of_the_crash_and_not_of_the_barrier(talk, programs):
    text = talk("w", "u 2", "skip", program="outer", protected={"inner", "outer"}).text
    assert "inner()  [protected]\n-> return 1 / 0 + scale" in text
    assert "outer()  [protected]\n-> return name, library(inner, crashed)" in text


def test_list_is_around_the_crash(talk):
    text = talk("l", "l .", "ll", "skip").text
    assert text.count("->\t            total += unwound(rows, index)") == 3


def test_list_goes_on_where_it_ended(talk):
    text = talk("list", "", "skip").text
    assert "def unwound(rows, index)" not in text
    assert "def library(function" in text


def test_args_are_those_of_the_function(talk):
    assert "rows = (1, 2, 3)\n(daifu)" in talk("a", "skip").text


def test_whatis_source_display_work(talk):
    text = talk("whatis rows", "source unwound", "display total", "skip").text
    assert "<class 'tuple'>" in text
    assert "def unwound(rows, index):" in text
    assert "display total: 6" in text


def test_exceptions_walks_the_chain_and_back(talk, programs):
    def prepare(crash):
        try:
            programs.unwound((), 7)
        except IndexError as error:
            crash.exception.__cause__ = error

    session = talk("exceptions", "exceptions 0", "p index", "retry", "exceptions 1", "p index", "exceptions 2",
                   "exceptions x", "skip", prepare=prepare)  # fmt: skip
    assert ">   1 IndexError" in session.text
    assert "    0 IndexError" in session.text
    assert "(daifu) 7\n" in session.text
    assert "`exceptions` leads back to the stack that is alive" in session.text
    assert "(daifu) 3\n" in session.text
    assert session.text.count("*** No exception with that number\n") == 1
    assert session.decision == Skip()


def test_interact_is_a_python_prompt_of_its_own(talk):
    session = talk("interact", "print(total + 100)", "total = 0", program="train")
    assert "106" in session.text
    assert "do not reach the run" in session.text


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("n", "`skip` after it"),
        ("next", "`skip` after it"),
        ("s", "`debug EXPR`"),
        ("step", "`debug EXPR`"),
        ("r", "`return EXPR`"),
        ("return", "`return EXPR`"),
        ("unt 20", "`jump LINE`"),
        ("until", "`jump LINE`"),
        ("run", "`restarts`"),
        ("restart", "`restarts`"),
    ],
)
def test_stepping_explains_what_to_use_instead(talk, line, instead):
    session = talk(line, "skip")
    (explanation,) = [row for row in session.text.splitlines() if "cannot be done at a crash" in row]
    assert instead in explanation
    assert session.decision == Skip()


def test_breakpoints_say_where_they_stop(talk):
    session = talk("b 7", "b", "cl 1", "skip")
    assert "breakpoints stop in `debug CODE` here" in session.text
    assert "Num Type" in session.text
    assert "Deleted breakpoint 1" in session.text


def test_debug_steps_through_a_call_and_leaves_no_trace_function(talk):
    before = sys.gettrace()
    session = talk("debug unwound(rows, 0)", "s", "s", "p index + 100", "c", "p total", "skip")
    assert "ENTERING RECURSIVE DEBUGGER" in session.text
    assert "((daifu)) 100\n" in session.text
    assert session.text.endswith("LEAVING RECURSIVE DEBUGGER\n(daifu) 6\n(daifu) ")
    assert session.decision == Skip()
    assert sys.gettrace() is before


def test_what_debug_assigns_reaches_the_frame(talk):
    session = talk("debug total = unwound(rows, 0) + 6", "c", "use total", "skip")
    assert session.decision == Use(7)


def test_debug_works_where_nothing_is_protected(talk):
    assert talk("d", "debug index", "c", "u", "skip").decision == Skip()


def test_help_names_ours_first(talk):
    text = talk("help", "skip").text
    assert (
        text.index("How to go on") < text.index("What is known of the crash") < text.index("Commands of pdb")
    )
    assert "use EXPR                Go on after the failing instruction with EXPR" in text
    pdbs = text[text.index("Commands of pdb") :]
    assert "whatis" in pdbs
    assert "redo" not in pdbs


@pytest.mark.parametrize("name", ["retry", "next-iteration", "where", "c", "finished"])
def test_help_tells_of_one_command(talk, name):
    assert "No help" not in talk(f"help {name}", f"h {name}", f"?{name}", "skip").text


def test_what_comes_later_says_so(talk):
    assert "detach leaves an attached console" in talk("detach", "skip").text


class TestTelling:
    def test_restarts_are_listed_anew(self, talk):
        def prepare(crash):
            crash.refused[Skip()] = "because"

        text = talk("restarts", "redo", prepare=prepare).text
        assert text.count("no: because") == 2
        assert "in train:" in text

    def test_finished_calls_are_listed_and_dropped(self, talk, fake):
        def prepare(crash):
            crash.frames[0].finished = [fake.Finished("load(path)", [1, 2]), fake.Finished("draw()", 0.5)]

        session = talk("finished", "finished drop 0", "finished", "finished drop 7", "retry", prepare=prepare)
        assert "2 finished calls kept" in session.text
        assert "  0  load(path) -> [1, 2]\n  1  draw() -> 0.5\n" in session.text
        assert "evaluated again: load(path)" in session.text
        assert "usage: finished [drop N]" in session.text
        assert [call.source for call in session.crash.frames[0].finished] == ["draw()"]

    def test_finished_without_any(self, talk):
        assert "nothing is kept" in talk("finished", "skip").text

    def test_loops_tell_how_far_they_are(self, talk, fake):
        def prepare(crash):
            iterator = iter([1, 2, 3])
            next(iterator)
            crash.frames[0].loops = [fake.Loop(12, "for index in range(5):", iterator),
                                     fake.Loop(3, "for x in feed():", iter(()), "dead")]  # fmt: skip

        text = talk("loops", "skip", prepare=prepare).text
        assert text.count("loop 0  for index in range(5):, line 12, 1 of 3 taken") == 2
        assert text.count("loop 1  for x in feed():, line 3, its iterator is dead") == 2

    def test_no_loops(self, talk):
        assert "no loop is around the crash" in talk("loops", "skip").text

    def test_recoveries_are_those_handed_in(self, talk):
        class Bad:
            def __str__(self):
                raise ValueError

        rows = [f"recovery {n}" for n in range(40)]
        text = talk("recoveries", "skip", recoveries=lambda: [*rows, Bad()]).text
        assert "... 11 before" in text
        assert "recovery 39\n<a recovery that cannot be shown: ValueError>" in text
        assert "recovery 3\n" not in text

    def test_no_recoveries(self, talk):
        assert "nothing was recovered" in talk("recoveries", "skip", recoveries=list).text
