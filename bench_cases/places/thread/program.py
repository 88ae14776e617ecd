"""Samples prepared by threads."""

from concurrent.futures import ThreadPoolExecutor

prepared = []


def prepare(number):
    prepared.append(number)
    return augment(number)


def augment(number):
    return number * 10


def main(seed=0):
    with ThreadPoolExecutor(max_workers=1) as pool:
        results = list(pool.map(prepare, range(6)))
    return {"results": results, "prepared": prepared}
