"""The sample is asked for again, in the worker."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
