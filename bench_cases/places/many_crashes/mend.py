"""Once more, a thousand times."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
