"""Once more, in the key function."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
