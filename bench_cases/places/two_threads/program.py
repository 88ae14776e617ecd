"""Two threads that work on their own halves."""

import random
import threading


def work(name, out):
    generator = random.Random(name)
    for n in range(5):
        out.append(measure(name, n, generator))


def measure(name, n, generator):
    return check(name, n) + generator.random()


def check(name, n):
    return n


def main(seed=0):
    halves = {"left": [], "right": []}
    threads = [threading.Thread(target=work, args=half) for half in halves.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if any(len(half) < 5 for half in halves.values()):
        raise RuntimeError("a thread is gone")
    return {"halves": halves}
