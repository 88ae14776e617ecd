"""Once more, in the same session: it is not closed in between."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
