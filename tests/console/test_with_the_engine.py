"""The console at a crash of the engine's own, on a terminal."""

from __future__ import annotations

import pytest

pytest.importorskip("pty")

PROGRAM = """
import daifu_bc

class Model:
    def __init__(self):
        self.lr = 0.5

    def step(self, batch, scale):
        total = sum(batch)
        return self.lr * total / scale

def load(number):
    print("load", number)
    return [number] * 2

@daifu_bc.protect
def train(epochs):
    model = Model()
    losses = []
    for epoch in range(epochs):
        for number in (1, 2):
            losses.append(model.step(load(number), scale=number - 1))
    return losses

print("RESULT", train(1))
"""


@pytest.fixture
def program(on_terminal, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    script = f"import runpy\nrunpy.run_path({str(path)!r}, run_name='__main__')"
    with on_terminal.OnTerminal(script, NO_COLOR="1") as running:
        running.wait_for("(daifu) ")
        yield running


def test_a_mended_run_goes_on_and_loads_nothing_twice(program):
    assert "in Model.step" in program.text
    assert "self.lr = 0.5" in program.text
    program.interrupt()
    assert "scale = 0" in program.say("a")
    program.say("scale = 4")
    program.say("retry", "RESULT [0.25, 2.0]\n")
    assert program.ended() == 0
    assert program.text.count("load 1\n") == 1


def test_an_outer_frame_can_be_chosen(program):
    assert "train()  [protected]" in program.say("u")
    assert "next-iteration 1" in program.say("restarts")
    program.say("next-iteration", "RESULT [2.0]\n")


def test_a_second_crash_shows_each_function_once(program):
    assert "crashed here 2 times in a row" in program.say("retry")
    stack = program.say("w")
    assert stack.count("step()") == 1
    assert stack.count("train()") == 1
    assert "Model object" in program.say("p $_frame.f_locals['self'], $_crash.attempt")
    program.say("use 7", "RESULT [7, 2.0]\n")


def test_quitting_lets_the_exception_go_on(program):
    program.say("q", "[y/N] ")
    program.type("y\n")
    program.wait_for("Traceback (most recent call last)", 5.0)
    assert program.ended() == 1
