"""Once more, both times: nothing is trained again for a card."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
