"""A loop with a progress bar."""

import random

from tqdm import tqdm

reads = []


def read(number):
    reads.append(number)
    return number + random.random()


def items(n):
    for number in range(n):
        yield read(number)


def main(seed=0):
    random.seed(seed)
    seen = []
    for item in tqdm(items(8)):
        seen.append(item)
    return {"seen": seen, "reads": reads}
