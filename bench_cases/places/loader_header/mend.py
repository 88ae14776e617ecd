"""Read once more, in `__getitem__`: the batch is not lost."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
