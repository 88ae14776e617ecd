"""Processes that a protected program starts are protected, and each says so once."""

from __future__ import annotations

import re

import pytest

from autoinstrument.files import write

MEND = """\
import daifu_bc
def divisor(crash):
    crash.globals["DIVISOR"] = 2
    return daifu_bc.Retry()
"""
BY_NAME = {"DAIFU_BC_POLICY": "mend:divisor"}

PROCESS = """\
import multiprocessing, os
DIVISOR = 0
def work(n):
    print("child", n / DIVISOR, flush=True)
if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    process = context.Process(target=work, args=(1,))
    process.start()
    process.join()
    print("exit", process.exitcode)
"""

POOL = """\
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
DIVISOR = 0
def work(n):
    return n / DIVISOR
if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("{method}")) as pool:
        print(list(pool.map(work, range(4))))
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(pool.map(work, range(4)))
"""

METHODS = ("fork", "spawn", "forkserver")


@pytest.fixture
def run(python, project):
    """Runs a script that crashes, with the policy by name."""

    def run(text: str, *before: str, **files: str):
        write(project, {"mend.py": MEND, "train.py": text, **files})
        ran = python.run(*before, "train.py", cwd=project, env=BY_NAME)
        numbers = [re.search(r"process (\d+)", line) for line in ran.said]
        assert all(numbers) and len({number[1] for number in numbers if number}) == len(ran.said), ran.said
        return ran

    return run


@pytest.mark.parametrize("method", METHODS)
def test_a_process_is_protected_and_has_the_policy(run, method) -> None:
    ran = run(PROCESS.format(method=method))
    assert (ran.status, ran.stdout) == (0, "child 0.5\nexit 0\n"), ran.stderr
    assert len(ran.said) == (3 if method == "forkserver" else 2)


@pytest.mark.parametrize("method", METHODS)
def test_the_workers_of_a_pool_are_protected(run, method) -> None:
    ran = run(POOL.format(method=method))
    assert (ran.status, ran.stdout) == (0, "[0.0, 0.5, 1.0, 1.5]\n" * 2), ran.stderr


def test_a_forked_child_is_protected(run) -> None:
    child = "if os.fork() == 0:\n    print(1 / DIVISOR, flush=True)\n    os._exit(0)\n"
    ran = run(f"import os\nDIVISOR = 0\n{child}os.wait()\n")
    assert (ran.status, ran.stdout) == (0, "0.5\n") and len(ran.said) == 2


def test_a_fork_writes_nothing_of_its_parents_twice(run) -> None:
    fork = "if os.fork() == 0:\n    os._exit(0)\nos.wait()\n"
    ran = run(f"import os, sys\nsys.stderr.write('half a line')\n{fork}print('on')\n")
    assert ran.stdout == "on\n" and ran.stderr.count("half a line") == 1


def test_many_forks_do_not_fill_the_screen(run) -> None:
    fork = "for _ in range(40):\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()\n"
    ran = run(f"import os\n{fork}")
    assert ran.status == 0 and len(ran.said) == 33 and "say nothing" in ran.said[-1]


def test_a_subprocess_is_protected(run) -> None:
    start = "import subprocess, sys\nprint(subprocess.run([sys.executable, 'job.py', 'x']).returncode)\n"
    ran = run(start, **{"job.py": "import sys\nDIVISOR = 0\nprint(1 / DIVISOR, sys.argv, flush=True)\n"})
    assert ran.stdout == "0.5 ['job.py', 'x']\n0\n" and len(ran.said) == 2, ran.stderr


def test_threads_and_their_pools_are_protected(run) -> None:
    text = """\
from concurrent.futures import ThreadPoolExecutor
DIVISOR = 0
def work(n):
    return n / DIVISOR
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(work, range(3))))
"""
    assert run(text).stdout == "[0.0, 0.5, 1.0]\n"


LOADER = """\
import torch
from torch.utils.data import DataLoader, Dataset
DIVISOR = 0
class Numbers(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, n):
        return torch.tensor(n / DIVISOR)
if __name__ == "__main__":
    loader = DataLoader(Numbers(), batch_size=2, num_workers=2, multiprocessing_context="{method}")
    for batch in loader:
        print(batch.tolist())
"""


@pytest.mark.parametrize("method", METHODS)
def test_the_workers_of_a_loader_are_protected(run, method) -> None:
    pytest.importorskip("torch", reason="needs torch")
    ran = run(LOADER.format(method=method))
    assert (ran.status, ran.stdout) == (0, "[0.0, 0.5]\n[1.0, 1.5]\n"), ran.stderr


RANKS = """\
import os, sys
import torch, torch.distributed as dist
DIVISOR = 0
dist.init_process_group("gloo")
value = torch.tensor([1.0 / DIVISOR])
dist.all_reduce(value)
if dist.get_rank() == 0:
    print(value.item(), sys.argv[1:])
dist.destroy_process_group()
"""


@pytest.mark.parametrize("way", ["torchrun", "torchrun -m"])
def test_the_ranks_of_a_launcher_are_protected(run, way) -> None:
    pytest.importorskip("torch.distributed", reason="needs torch")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    files = {"jobs/__init__.py": "", "jobs/ranks.py": RANKS}
    more = ["-m", "jobs.ranks"] if way == "torchrun -m" else ["jobs/ranks.py"]
    ran = run("", *torchrun, *more, **files)
    assert (ran.status, ran.stdout) == (0, "1.0 ['train.py']\n"), ran.stderr[-3000:]
    assert len(ran.said) == 3


ACCELERATED = """\
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
DIVISOR = 0
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(2, 1)
model, loader = accelerator.prepare(model, DataLoader([torch.ones(2)] * 4, batch_size=2))
for batch in loader:
    accelerator.backward(model(batch).sum() * (1 / DIVISOR))
print(model.weight.grad.tolist())
"""


def test_a_loop_under_accelerate_launch_is_protected(run) -> None:
    pytest.importorskip("accelerate", reason="needs accelerate")
    settings = ["--cpu", "--num_processes=1", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no"]
    ran = run("", "-m", "accelerate.commands.launch", *settings, "loop.py", **{"loop.py": ACCELERATED})
    assert (ran.status, ran.stdout) == (0, "[[2.0, 2.0]]\n"), ran.stderr[-3000:]
    assert len(ran.said) == 2
