"""Once more, on that rank, before its own handler sees it: it is with the other in time."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
