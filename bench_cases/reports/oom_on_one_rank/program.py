"""Training by two processes, each of which goes on after a batch that does not fit."""

import datetime
import json
import multiprocessing
import tempfile

import torch
import torch.distributed as dist


class OutOfMemory(RuntimeError):
    pass


def gradient(weights, batch):
    return check(batch) @ (batch @ weights)


def check(batch):
    return batch.T


def work(rank, seed, meeting):
    torch.manual_seed(seed or 0)
    limit = datetime.timedelta(seconds=4)
    dist.init_process_group("gloo", init_method=f"file://{meeting}/point", rank=rank, world_size=2, timeout=limit)
    weights, sums, skipped = torch.ones(3, dtype=torch.float64), [], 0
    for step in range(4):
        batch = torch.randn(4, 3, dtype=torch.float64) + rank
        try:
            step_gradient = gradient(weights, batch)
            dist.all_reduce(step_gradient)
        except OutOfMemory:
            skipped += 1
            continue
        weights -= 0.01 * step_gradient
        sums.append(weights.sum().item())
    with open(f"rank-{rank}.json", "w") as file:
        json.dump({"sums": sums, "skipped": skipped}, file)
    dist.destroy_process_group()


def main(seed=0):
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as meeting:
        ranks = [fork.Process(target=work, args=(rank, seed, meeting)) for rank in range(2)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
    codes = [rank.exitcode for rank in ranks]
    if any(codes):
        raise RuntimeError(f"ranks ended with {codes}")
    return {"codes": codes}
