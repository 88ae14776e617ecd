"""Read once more, in `__getitem__`: no layer above it has noticed."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
