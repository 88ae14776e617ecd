"""Tools that programs are run with find what they find in plain Python."""

from __future__ import annotations

import json
import re

import pytest

from autoinstrument.files import write
from autoinstrument.test_protected_programs import POLICY

PROGRAM = """\
import lib
total = 0
for n in range(5):
    if n == 7:
        print("never")
    total += lib.half(n)
try:
    lib.fails()
except ValueError as error:
    print(error)
print(total)
"""
LIB = """\
def half(n):
    if n > 2:
        return n / 2
    return double(n) / 4
def double(n):
    return [2 * m for m in (n,)][0]
def fails():
    with open(__file__) as file:
        raise ValueError(file.name[-6:])
"""
TESTS = """\
import pytest
import lib
def test_half():
    assert lib.half(4) == 2
def test_wrong():
    assert lib.half(4) == 3
def test_error():
    {}["k"]
def test_raises():
    with pytest.raises(ValueError):
        lib.fails()
@pytest.fixture
def broken():
    raise OSError("gone")
def test_fixture(broken): ...
"""


@pytest.fixture
def program(project):
    write(project, {"job.py": PROGRAM, "lib.py": LIB, "policy.py": POLICY, "test_lib.py": TESTS})
    return project


def test_a_crash_in_a_test_is_a_failure_and_no_question(python, program) -> None:
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    env = {"DAIFU_BC_POLICY": "policy:again", "PYTHONPATH": ""}
    plain, ours = (python.run(*arguments, cwd=program, on=on, env=env) for on in (False, True))
    assert ours.status == plain.status == 1 and "asked" not in ours.stdout
    seen = [re.sub(r" in [\d.]+s|0x[0-9a-f]+", "", ran.stdout) for ran in (plain, ours)]
    assert seen[1] == seen[0] and "2 failed, 2 passed, 1 error" in seen[0]


def test_coverage_is_the_same(python, program) -> None:
    pytest.importorskip("coverage", reason="needs coverage")
    found = []
    for on in (False, True):
        run = python.run("-m", "coverage", "run", "--branch", "job.py", cwd=program, on=on)
        assert (run.status, run.stdout) == (0, "lib.py\n5.0\n"), run.stderr
        python.run("-m", "coverage", "json", "-o", "c.json", "--include", "lib.py,job.py", cwd=program, on=False)
        files = json.loads((program / "c.json").read_text())["files"]
        found.append({name: (one["executed_lines"], one.get("executed_branches")) for name, one in files.items()})
    assert found[1] == found[0] and "lib.py" in found[0]


def test_a_profile_counts_the_same_calls(python, program) -> None:
    found = []
    for on in (False, True):
        stdout = python.run("-m", "cProfile", "-s", "name", "job.py", cwd=program, on=on).stdout
        rows = re.findall(r"^ +(\S+) .*? (lib\.py:\d+\(\w+\))$", stdout, re.MULTILINE)
        found.append(sorted((name, calls) for calls, name in rows))
    assert found[1] == found[0] and ("lib.py:1(half)", "5") in found[0]


def test_a_trace_sees_the_same_lines(python, program) -> None:
    found = []
    for on in (False, True):
        stdout = python.run("-m", "trace", "--trace", "job.py", cwd=program, on=on).stdout
        found.append([line for line in stdout.splitlines() if line.startswith(("lib.py", "job.py"))])
    assert found[1] == found[0] and len(found[0]) > 20


def test_a_debugger_can_listen(python, program) -> None:
    pytest.importorskip("debugpy", reason="needs debugpy")
    arguments = ["-Xfrozen_modules=off", "-m", "debugpy", "--listen", "127.0.0.1:0", "job.py"]
    plain, ours = (python.run(*arguments, cwd=program, on=on) for on in (False, True))
    assert (ours.status, ours.stdout) == (plain.status, plain.stdout) == (0, "lib.py\n5.0\n")


def test_pdb_steps_through_the_program(python, program) -> None:
    typed = "b lib.py:3\nc\np n\nw\nq\n"
    plain, ours = (
        python.run("-m", "pdb", "job.py", cwd=program, on=on, stdin=typed).stdout for on in (False, True)
    )
    assert ours == plain and "lib.py(3)half()" in plain


COMPILED = """\
import torch
from torch import nn
import torch._dynamo
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 8), nn.Linear(8, 2)
    def forward(self, x):
        return self.two(helper(self.one(x)))
def helper(x):
    with torch.no_grad():
        scale = x.abs().mean()
    return torch.relu(x) * (1 + scale)
net = Net()
compiled = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    loss = compiled(torch.randn(3, 4)).square().sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(loss.item().hex())
counters = torch._dynamo.utils.counters
print(dict(counters["stats"]), dict(counters["graph_break"]), dict(counters["frames"]))
"""
SCRIPTED = """\
import torch
@torch.jit.script
def relu_sum(x, n: int):
    total = torch.zeros(1)
    for i in range(n):
        total = total + torch.relu(x).sum()
    return total
class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x
print(relu_sum(torch.ones(2), 3), torch.jit.script(Net())(torch.ones(2)), torch.jit.trace(Net(), torch.ones(2)).code)
"""
SHARDED = """\
import os, sys
import torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
if sys.argv[1] == "ddp":
    net = nn.parallel.DistributedDataParallel(net)
else:
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.device_mesh import init_device_mesh
    net = fully_shard(net, mesh=init_device_mesh("cpu", (2,)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(3, 4)).square().sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
sys.stdout.write(f"{dist.get_rank()} {loss.item().hex()}\\n")  # in one piece: both ranks write to one stream
dist.barrier()  # gloo aborts a rank whose peer has left already
dist.destroy_process_group()
"""


def run_ranks(python, *command, cwd, on):
    """A run, made again where gloo aborted a rank at its end, which it does once in a dozen runs without us too."""
    for _ in range(5):
        ran = python.run(*command, cwd=cwd, on=on)
        if ran.status == 0 or "terminate called without an active exception" not in ran.stderr:
            break
    return ran


@pytest.mark.parametrize("name", ["compiled", "scripted", "ddp", "fsdp"])
def test_torch_does_the_same(python, project, name) -> None:
    pytest.importorskip("torch", reason="needs torch")
    text = {"compiled": COMPILED, "scripted": SCRIPTED}.get(name, SHARDED)
    write(project, {"train.py": text})
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"] if text is SHARDED else []
    plain, ours = (run_ranks(python, *launcher, "train.py", name, cwd=project, on=on) for on in (False, True))
    assert plain.status == 0, plain.stderr
    assert (ours.status, sorted(ours.stdout.splitlines())) == (0, sorted(plain.stdout.splitlines())), ours.stderr
