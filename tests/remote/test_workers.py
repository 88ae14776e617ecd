"""A crash in a worker of a DataLoader is mended in the worker while the parent waits; no sample is lost or moved."""

from __future__ import annotations

import pytest

pytest.importorskip("pty")
pytest.importorskip("torch", reason="needs torch")

LOADER = """\
import sys
import daifu_bc
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

BROKEN, BAD = {broken}, {bad}

def change(n):
    if n == BROKEN:
        raise OSError("it cannot be read")
    return torch.tensor(n * 2)

@daifu_bc.protect
class Numbers(Dataset):
    def __len__(self):
        return 10
    def __getitem__(self, n):
        return change(n)

@daifu_bc.protect
class Stream(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        for n in range(info.id, 10, info.num_workers):
            yield change(n)

@daifu_bc.protect
def collate(samples):
    found = torch.stack(samples)
    if BAD and 10 in found:
        raise ValueError("it cannot be collated")
    return found

@daifu_bc.protect
def main():
    loader = DataLoader({dataset}(), batch_size=2, collate_fn=collate, num_workers={count}, {more})
    return [[batch.tolist() for batch in loader] for epoch in range(2)]

if __name__ == "__main__":
    sys.stdout.write(f"RESULT {{main()}}\\n")
"""
MAP = [[0, 2], [4, 6], [8, 10], [12, 14], [16, 18]]
STREAM = {0: None, 1: MAP, 4: [[0, 8], [2, 10], [4, 12], [6, 14], [16], [18]]}


def start(place, count, dataset="Numbers", broken=5, bad=False, **more):
    words = ", ".join(f"{name}={value!r}" for name, value in more.items())
    text = LOADER.format(dataset=dataset, broken=broken, bad=bad, count=count, more=words)
    (place.folder / "train.py").write_text(text)
    python = f"[sys.executable, {str(place.folder / 'train.py')!r}]"
    return place.start(f"import os, sys; os.execv(sys.executable, {python})")


def mend(place, program, line, crashes, expected):
    """Each crash is one of a worker, never of the parent, and is mended there. Out: the facts of all."""
    rows = []
    for _ in range(crashes):
        program.wait_until_it_waits()
        (row,) = place.ps()
        assert row["pid"] != program.pid
        rows.append(row)
        assert "released: retry" in place.command("send", row["pid"], line, "retry").stdout
    status, out, err = program.ended()
    assert (status, out) == (0, f"RESULT {[expected, expected]}\n"), err
    return rows


@pytest.mark.parametrize(
    "count, method, persistent",
    [
        (1, "fork", False), (4, "fork", True), (4, "spawn", False), (1, "spawn", True), (1, "forkserver", False),
        (4, "forkserver", True),
    ],
)  # fmt: skip
def test_a_transform_of_a_sample_is_mended_in_its_worker(place, count, method, persistent):
    more = {"multiprocessing_context": method, "persistent_workers": persistent}
    program = start(place, count, **more)
    rows = mend(place, program, "n = globals().update(BROKEN=-1) or 5", 1 if persistent else 2, MAP)
    assert [(row["worker"], row["batch"], row["sample"]) for row in rows] == [(2 % count, 2, "5")] * len(rows)
    assert f"loader worker {2 % count}, sample 5" in program.said


@pytest.mark.parametrize("count, method", [(1, "fork"), (4, "fork"), (1, "spawn")])
def test_a_stream_is_mended_in_its_worker(place, count, method):
    program = start(place, count, "Stream", multiprocessing_context=method)
    rows = mend(place, program, "n = globals().update(BROKEN=-1) or 5", 2, STREAM[count])
    assert {row["worker"] for row in rows} == {5 % count} and {row["sample"] for row in rows} == {None}


def test_the_end_of_a_stream_is_no_crash(place):
    program = start(place, 2, "Stream", broken=-1, multiprocessing_context="fork")
    status, out, err = program.ended()
    assert (status, err) == (0, "") and "[[[0, 4], [2, 6], [8, 12], [10, 14], [16], [18]]" in out


@pytest.mark.parametrize("count", [1, 4])
def test_a_batch_that_cannot_be_collated_is_mended_in_its_worker(place, count):
    program = start(place, count, broken=-1, bad=True, multiprocessing_context="fork")
    rows = mend(place, program, "__import__('__main__').BAD = False", 2, MAP)
    assert [(row["worker"], row["batch"], row["sample"]) for row in rows] == [(2 % count, 2, None)] * 2
    assert "collated" in rows[0]["message"]


def test_without_workers_it_is_a_crash_of_the_process(place):
    program = start(place, 0)
    program.wait_until_it_waits()
    (row,) = place.ps()
    assert (row["pid"], row["worker"], row["sample"]) == (program.pid, None, None)
    place.command("send", row["pid"], "n = globals().update(BROKEN=-1) or 5", "retry")
    assert program.ended()[:2] == (0, f"RESULT {[MAP, MAP]}\n")


def test_a_loader_with_a_time_out_waits_for_the_worker(place):
    program = start(place, 2, multiprocessing_context="fork", persistent_workers=True, timeout=1)
    program.wait_until_it_waits()
    for line in program.process.stderr:
        if "the loader has timed out, and waits on" in line:
            break
    else:
        raise AssertionError("it has not waited")
    (row,) = place.ps()
    assert str(row["pid"]) in line
    terminal = place.attach(row["pid"])
    terminal.wait_for("[loader worker 0, sample 5]")
    terminal.wait_for("(daifu) ")
    terminal.say("n = globals().update(BROKEN=-1) or 5")
    terminal.say("retry", "released: retry]")
    assert program.ended()[:2] == (0, f"RESULT {[MAP, MAP]}\n")


def test_what_a_worker_is_left_to_is_the_parents(place):
    program = start(place, 2, multiprocessing_context="fork", timeout=1)
    program.wait_until_it_waits()
    place.command("send", place.ps()[0]["pid"], "abort")
    program.wait_until_it_waits()
    (row,) = place.ps()
    assert (row["pid"], row["exception"]) == (program.pid, "OSError")
