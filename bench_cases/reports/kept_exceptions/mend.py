"""Once more, ten times."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
