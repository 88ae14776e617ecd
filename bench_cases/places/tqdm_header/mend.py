"""Read once more, in the generator."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
