"""edit, diff, reload and watch at a crash of the engine's own, on a terminal."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("pty")

PROGRAM = """\
import daifu_bc

def load(number):
    print("load", number)
    return number

@daifu_bc.protect
def train():
    total = 0
    for number in range(3):
        total += load(number) / (number - 1)
    return total

print("RESULT", train())
"""
MENDED = PROGRAM.replace("(number - 1)", "(number + 1)")


class Running:
    def __init__(self, terminal, path):
        self.terminal, self.path = terminal, path

    def __getattr__(self, name):
        return getattr(self.terminal, name)


@pytest.fixture
def start(on_terminal, tmp_path):
    running = []

    def begin(**environment):
        path = tmp_path / "program.py"
        path.write_text(PROGRAM)
        script = f"import runpy\nrunpy.run_path({str(path)!r}, run_name='__main__')"
        terminal = on_terminal.OnTerminal(script, NO_COLOR="1", **environment)
        running.append(terminal)
        terminal.__enter__()
        return Running(terminal, path)

    yield begin
    for terminal in running:
        terminal.__exit__(None, None, None)


def test_a_saved_file_is_shown_and_goes_on(start):
    program = start()
    program.wait_for("(daifu) ")
    assert "is what runs already" in program.say("diff")
    program.path.write_text(MENDED)
    shown = program.say("diff")
    assert "-         total += load(number) / (number - 1)   <- crashed here" in shown
    assert "+         total += load(number) / (number + 1)   <- goes on here" in shown
    assert "reload goes on at line 11" in shown
    program.say("reload", "RESULT 1.166")
    assert program.ended() == 0
    assert program.text.count("load 1\n") == 2  # the statement was changed: it runs from its start


def test_a_line_can_be_chosen(start):
    program = start()
    program.wait_for("(daifu) ")
    program.path.write_text(MENDED.replace("total = 0", "total = 10"))
    assert "line 9 is changed and is not run again: total = 10" in program.say("diff")
    assert "reload goes on at line 9" in program.say("diff 9")
    assert "a line of the new text is wanted" in program.say("reload here")
    program.say("reload 9", "RESULT 11.166")


def test_a_broken_edit_leaves_the_crash_as_it_is(start):
    program = start()
    program.wait_for("(daifu) ")
    program.path.write_text(MENDED.replace("for number", "fro number"))
    assert "is no Python" in program.say("reload")
    program.path.write_text(MENDED)
    program.say("reload", "RESULT 1.166")


def test_the_editor_is_opened_on_the_file(start, tmp_path):
    editor = tmp_path / "editor.py"
    editor.write_text(f"import sys, pathlib\npathlib.Path(sys.argv[-1]).write_text({MENDED!r})\n")
    program = start(VISUAL=f"{sys.executable} {editor}")
    program.wait_for("(daifu) ")
    assert "goes on here" in program.say("edit")
    program.say("reload", "RESULT 1.166")


def test_without_a_file_a_copy_is_edited(start, tmp_path):
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\n"
        "path.write_text(path.read_text().replace('number - 1', 'number + 1'))\n"
    )
    program = start(VISUAL=f"{sys.executable} {editor}")
    program.wait_for("(daifu) ")
    program.path.unlink()
    assert "goes on here" in program.say("edit")
    program.say("reload", "RESULT 1.166")


def test_an_edit_is_taken_back_and_a_text_written_back(start):
    program = start()
    program.wait_for("(daifu) ")
    assert "no other file of the project has changed" in program.say("reload all")
    assert "there is no edit to be taken back" in program.say("revert")
    assert "usage: keep FILE" in program.say("keep")
    program.path.write_text(PROGRAM.replace("total += load(number)", "total += 1"))
    assert "lines 7 to 12" in program.say(f"keep {program.path}")
    assert program.path.read_text() == PROGRAM
    program.say("use 5", "RESULT")


def test_saving_is_enough_in_watch_mode(start):
    program = start(DAIFU_BC_WATCH="1")
    program.wait_for("to be saved; Ctrl-C leads back")
    program.path.write_text(MENDED)
    program.wait_for("RESULT 1.166")
    assert program.ended() == 0


def test_watching_can_be_left(start):
    program = start()
    program.wait_for("(daifu) ")
    program.say("watch", "Ctrl-C leads back")
    program.type("\x03")
    program.wait_for("(daifu) ")
    program.say("use 5", "RESULT")
