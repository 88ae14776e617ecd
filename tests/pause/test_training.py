# ruff: noqa: E501  (texts are tested as they stand)
"""A running PyTorch loop is changed: its losses are those of the same edit made by hand at that iteration."""

from __future__ import annotations

import importlib.util

import pytest

import daifu_bc

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

TRAIN = """
import torch

def train(at, steps=8, edited_at=None):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(steps):
        at(step)
        inputs = torch.randn(16, 8)
        loss = (model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""
EDITS = {
    "learning rate": ("        inputs = torch.randn(16, 8)\n", "        optimizer.param_groups[0]['lr'] = 0.01\n        inputs = torch.randn(16, 8)\n"),
    "log line": ("        losses.append(loss.item())\n", "        print('loss', loss.item())\n        losses.append(loss.item())\n"),
    "gradient clipping": ("        optimizer.step()\n", "        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n        optimizer.step()\n"),
    "early break": ("        losses.append(loss.item())\n", "        losses.append(loss.item())\n        if step == 5:\n            break\n"),
}


def loaded(text, tmp_path, name):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_hand(old, new):
    """What the edit puts in, only from the iteration at which it is made."""
    added = new.replace(old, "")
    lines = [f"        if step >= 3:\n{''.join('    ' + line for line in added.splitlines(keepends=True))}"]
    return new.replace(added, "".join(lines))


@pytest.mark.parametrize("name", EDITS)
def test_a_running_training_loop_takes_an_edit(name, tmp_path, capsys):
    old, new = EDITS[name]
    expected = loaded(TRAIN.replace(old, by_hand(old, new)), tmp_path, "by_hand").train(lambda step: None)
    said = capsys.readouterr().out
    module = loaded(TRAIN, tmp_path, "running")
    daifu_bc.protect(module.train, scope="nested")

    def at(step):
        if step == 3:
            (tmp_path / "running.py").write_text(TRAIN.replace(old, new))
            daifu_bc.patch(module.train)

    assert module.train(at) == expected
    assert capsys.readouterr().out == said
