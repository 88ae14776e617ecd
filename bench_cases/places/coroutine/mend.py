"""Once more, in the client."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
