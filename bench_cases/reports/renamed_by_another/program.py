"""Two ranks (threads here) that save one checkpoint together."""

import os
import threading

saved = []


def rename(source, target):
    os.rename(source, target)
    saved.append(target)


def save_checkpoint(step, barrier):
    barrier.wait(20)
    rename(f"tmp-{step}", f"checkpoint-{step}")
    barrier.wait(20)


def rank_zero(steps, barrier, turn):
    for step in range(steps):
        os.mkdir(f"tmp-{step}")
        barrier.wait(20)
        os.rename(f"tmp-{step}", f"checkpoint-{step}")
        turn.release()
        barrier.wait(20)


def main(seed=0):
    barrier, turn = threading.Barrier(2), threading.Semaphore(0)
    other = threading.Thread(target=rank_zero, args=(3, barrier, turn), daemon=True)
    other.start()
    done = []
    for step in range(3):
        barrier.wait(20)
        turn.acquire(timeout=20)
        rename(f"tmp-{step}", f"checkpoint-{step}")
        barrier.wait(20)
        done.append(step)
    other.join(20)
    return {"steps": done, "there": sorted(os.listdir("."))}
