"""Once more, in the step: dropout is not drawn again, no callback hears of it."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
