"""The first error is met, before `finally`: once more."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
