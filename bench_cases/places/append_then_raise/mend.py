"""Once more, in the callee, at the very call."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
