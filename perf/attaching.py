"""What attaching takes: `python perf/attaching.py [--processes 512]`.

In: nothing. Out: a table: from the command to the prompt, and a job of many crashed processes listed, mended and
released by one command. Always true: each process has really crashed and really goes on (its result is checked).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
JOB = """
import os, sys
import daifu_bc, daifu_bc.remote.waiting, daifu_bc.console.commands
@daifu_bc.protect
def train(batch):
    return sum(batch)
children = []
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if not pid:
        os._exit(0 if train([1, "2"]) == 3 else 1)
    children.append(pid)
print(sum(os.waitpid(pid, 0)[1] == 0 for pid in children))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=512)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "DAIFU_BC_RUNTIME_DIR": f"{folder}/run", "DAIFU_BC_WAIT": "500",
            "XDG_STATE_HOME": folder,
        }  # fmt: skip
        print(f"attach to prompt, the command's start included: {1e3 * _attach(environment):.0f} ms (median of 9)")
        listed, released = _job(environment, options.processes)
        print(f"{options.processes} crashed: listed in {listed:.1f} s, released in {released:.1f} s")


def _start(environment: dict[str, str], processes: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", JOB, str(processes)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdin=quiet, stderr=quiet, stdout=subprocess.PIPE, text=True)


def _until_they_wait(environment: dict[str, str], processes: int) -> list[dict[str, object]]:
    while True:
        listed = _command(environment, "ps", "--json").splitlines()
        if len(listed) >= processes:
            return [json.loads(line) for line in listed]
        time.sleep(0.5)


def _command(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "daifu_bc", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def _attach(environment: dict[str, str]) -> float:
    job = _start(environment, 1)
    (facts,) = _until_they_wait(environment, 1)
    seconds = []
    for _ in range(9):
        began = time.perf_counter()
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "daifu_bc", "attach", "--json", str(facts["pid"])]
        with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as attached:
            assert attached.stdin is not None and attached.stdout is not None
            while json.loads(attached.stdout.readline())["type"] != "prompt":
                pass
            seconds.append(time.perf_counter() - began)
            attached.stdin.close()
            attached.stdout.read()
    _command(environment, "send", str(facts["pid"]), "batch[1] = 2", "retry")
    assert job.communicate()[0] == "1\n"
    return statistics.median(seconds)


def _job(environment: dict[str, str], processes: int) -> tuple[float, float]:
    """Seconds to list them, and from the command that mends them to the end of the last one."""
    job = _start(environment, processes)
    _until_they_wait(environment, processes)
    began = time.perf_counter()
    assert len(_command(environment, "ps").splitlines()) == processes + 1
    listed = time.perf_counter()
    _command(environment, "send", "all", "batch[1] = 2", "retry")
    assert job.communicate()[0] == f"{processes}\n"
    return listed - began, time.perf_counter() - listed


if __name__ == "__main__":
    main()
