"""The user wants to hear of disk errors first: once more, within the first attempt."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
