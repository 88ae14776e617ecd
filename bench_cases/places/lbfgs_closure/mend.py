"""Once more, in the closure: the optimizer does not notice."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
