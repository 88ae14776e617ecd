"""Once more, with the batch that was taken."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
