# ruff: noqa: E501  (texts are tested as they stand)
"""New code takes over at the running function's next line, with no question asked."""

from __future__ import annotations

import functools
import importlib.util
import threading

import pytest

import daifu_bc
from daifu_bc.interpreter import tool_ids


def module_of(text: str, tmp_path, name: str = "patched"):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, path


def never(crash):
    raise AssertionError("nobody is to be asked")


LOOP = """
def train(steps):
    rate = 0.5
    losses = []
    for step in range(steps):
        at(step)
        losses.append(step * rate)
    return losses
"""


def test_a_loop_goes_on_in_its_new_text(tmp_path):
    module, path = module_of(LOOP, tmp_path)
    new = LOOP.replace("losses.append(step * rate)", "losses.append(('new', step * rate))")

    def at(step):
        if step == 2:
            path.write_text(new)
            assert daifu_bc.patch(module.train) == []

    module.at = at
    daifu_bc.protect(module.train, on_crash=never, scope="nested")
    assert module.train(5) == [0.0, 0.5, ("new", 1.0), ("new", 1.5), ("new", 2.0)]
    module.at = lambda step: None
    assert module.train(2) == [("new", 0.0), ("new", 0.5)]
    assert not any(tool_ids.events.LINE in watches for watches in tool_ids._watches.values())


def test_an_early_break_is_put_in(tmp_path):
    module, _path = module_of(LOOP, tmp_path)
    new = LOOP.replace("        losses.append", "        if step >= 3:\n            break\n        losses.append").lstrip()
    module.at = lambda step: daifu_bc.patch(module.train, new) if step == 1 else None
    daifu_bc.protect(module.train, on_crash=never, scope="nested")
    assert module.train(10**6) == [0.0, 0.5, 1.0]


def test_a_function_that_is_not_running_and_not_protected(tmp_path):
    module, _path = module_of("def double(x):\n    return x + x\nhook = double\n", tmp_path)
    held = functools.partial(module.double, 2)
    daifu_bc.patch(module.double, "def double(x):\n    return ('new', x)\n")
    assert (module.hook(1), held()) == (("new", 1), ("new", 2))


def test_an_edit_that_cannot_be_is_refused_and_changes_nothing(tmp_path):
    module, _path = module_of("def double(x):\n    return x + x\n", tmp_path)
    with pytest.raises(daifu_bc.CannotResume, match="no Python"):
        daifu_bc.patch(module.double, "def double(x:\n")
    assert module.double(2) == 4
    with pytest.raises(daifu_bc.CannotProtect):
        daifu_bc.patch(len, "def len(x): return 1\n")


def test_a_suspended_generator_goes_over_when_it_goes_on(tmp_path):
    text = "def numbers():\n    for number in range(4):\n        yield number\n"
    module, _path = module_of(text, tmp_path)
    daifu_bc.protect(module.numbers, on_crash=never, scope="nested")
    running = module.numbers()
    assert next(running) == 0
    daifu_bc.patch(module.numbers, text.replace("yield number", "yield -number"))
    assert list(running) == [-1, -2, -3]


def test_a_loop_in_another_thread(tmp_path):
    text = "def loop():\n    number = 0\n    while True:\n        number += 1\n        started.set()\n"
    module, _path = module_of(text, tmp_path)
    module.started = threading.Event()
    daifu_bc.protect(module.loop, on_crash=never, scope="nested")
    results = []
    thread = threading.Thread(target=lambda: results.append(module.loop()), daemon=True)
    thread.start()
    assert module.started.wait(30)
    daifu_bc.patch(module.loop, text.replace("        started.set()", "        return ('left', number > 0)"))
    thread.join(60)
    assert results == [("left", True)]


def test_a_line_without_a_place_waits_for_one_that_has(tmp_path):
    text = (
        "def f():\n    out = []\n    for i in range(3):\n        with lock:\n            at(i)\n            out.append(i)\n"
        "        out.append(-i)\n    return out\n"
    )
    module, _path = module_of(text, tmp_path)
    new = text.replace("            at(i)\n            out.append(i)\n", "            out.append(('new', i))\n")
    module.lock = threading.Lock()
    module.at = lambda i: daifu_bc.patch(module.f, new) if i == 0 else None
    daifu_bc.protect(module.f, on_crash=never, scope="nested")
    assert module.f() == [("new", 0), 0, ("new", 1), -1, ("new", 2), -2]
    assert not module.lock.locked()
