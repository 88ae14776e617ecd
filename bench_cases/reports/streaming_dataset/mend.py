"""The sample is asked for again, inside the generator."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
