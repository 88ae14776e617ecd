"""The cases of the published benchmark that need an earlier line, and the one that it could not recover."""

# ruff: noqa: E501  (texts are tested as they stand, one on a line)

from __future__ import annotations

import textwrap
from types import ModuleType

import daifu_bc
from daifu_bc import Retry, Surgery


def program(text: str, tmp_path, **names):
    path = tmp_path / "train.py"
    path.write_text(textwrap.dedent(text).lstrip())
    namespace = {"__name__": "train", **names}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace, path.read_text()


def line(text: str, words: str) -> int:
    return next(number for number, row in enumerate(text.splitlines(), 1) if words in row)


def test_018_a_class_of_another_module_is_replaced_and_its_factory_line_runs_again(tmp_path):
    pruning = ModuleType("pruning")
    pruning.made = []
    broken = "class Conv:\n    def __init__(self, size):\n        self.size = size\n    def forward(self, x):\n        return x * scale_of_tf1\n"
    exec(broken, vars(pruning))
    main, text = program(
        """
        def main():
            x = 1
            log.append("data")
            make = lambda size: pruning.Conv(size)
            layers = []
            for size in (1, 2, 3, 4):
                layers.append(make(size))
            for layer in layers:
                x = layer.forward(x)
            return x, len(layers)
        """,
        tmp_path,
        pruning=pruning,
        log=(log := []),
    )

    def policy(crash):
        crash.run("exec(NEW, vars(pruning))".replace("NEW", repr(broken.replace("scale_of_tf1", "self.size"))))
        edited = text.replace("pruning.Conv(size)", "pruning.Conv(size + 1)")
        return Surgery(source=edited, at=line(edited, "make = lambda"))

    daifu_bc.protect(main["main"], on_crash=policy)
    assert main["main"]() == (2 * 3 * 4 * 5, 4)
    assert log == ["data"]


class Sequential:
    def __init__(self):
        self.layers, self.size = [], 12

    def add(self, kernel):
        if self.size - kernel + 1 <= 0:
            raise ValueError("negative dimension")
        self.layers.append(kernel)
        self.size -= kernel - 1

    def fit(self, loss):
        if loss != "sparse":
            raise ValueError("shape of the target")
        return len(self.layers), self.size


def test_090_three_repairs_two_of_them_at_earlier_lines(tmp_path):
    main, text = program(
        """
        def main():
            log.append("data")
            model = Sequential()
            model.add(5)
            model.add(5)
            model.add(5)
            optimizer = SGD(0.1)
            loss = "dense"
            log.append("compiled")
            return model.fit(loss), optimizer
        """,
        tmp_path,
        Sequential=Sequential,
        log=(log := []),
    )
    state = {"text": text}

    def policy(crash):
        if "negative" in str(crash.exception):
            state["text"] = state["text"].replace("model.add(5)", "model.add(3)")
            return Surgery(source=state["text"], at=line(state["text"], "model = Sequential()"))
        if isinstance(crash.exception, NameError):
            crash.globals["SGD"] = lambda rate: ("SGD", rate)
            return Retry()
        state["text"] = state["text"].replace('"dense"', '"sparse"')
        return Surgery(source=state["text"], at=line(state["text"], '"sparse"'))

    daifu_bc.protect(main["main"], on_crash=policy)
    assert main["main"]() == ((3, 6), ("SGD", 0.1))
    assert log == ["data", "compiled", "compiled"]  # the line that was chosen, and what follows it, ran again


class Scope:
    """A store of variables with a sticky flag, as the root scope of a graph."""

    def __init__(self):
        self.reuse, self.variables = False, []

    def tower(self, number):
        self.reuse = True
        return number * 2

    def average(self):
        if self.reuse:
            raise ValueError("variable does not exist: reuse is set")
        self.variables.append("average")
        return "average"

    def __enter__(self):
        self.outer = self.reuse

    def __exit__(self, *error):
        self.reuse = self.outer


TOWERS = """
def train():
    log.append("graph")
    gradients = []
    for number in range(3):
        gradients.append(scope.tower(number))
    return gradients, scope.average()
"""


def test_043_an_action_resets_the_flag(tmp_path):
    main, _text = program(TOWERS, tmp_path, scope=(scope := Scope()), log=(log := []))

    def policy(crash):
        crash.globals["scope"].reuse = False
        return Retry()

    daifu_bc.protect(main["train"], on_crash=policy)
    assert main["train"]() == ([0, 2, 4], "average")
    assert (scope.variables, log) == (["average"], ["graph"])


def test_043_a_new_with_around_the_loop_goes_on_at_the_accumulator(tmp_path):
    main, text = program(TOWERS, tmp_path, scope=(scope := Scope()), log=(log := []))
    edited = text.replace(
        "    for number in range(3):\n        gradients.append(scope.tower(number))\n",
        "    with scope:\n        for number in range(3):\n            gradients.append(scope.tower(number))\n",
    )

    def policy(crash):
        scope.reuse = False
        return Surgery(source=edited, at=line(edited, "gradients = []"))

    daifu_bc.protect(main["train"], on_crash=policy)
    assert main["train"]() == ([0, 2, 4], "average")
    assert (scope.variables, log) == (["average"], ["graph"])
