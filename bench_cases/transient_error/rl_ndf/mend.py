"""Once more, both times."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
