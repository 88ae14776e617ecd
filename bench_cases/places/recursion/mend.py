"""Once more."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
