"""The third device is free; the model that was made goes there."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("device = CARDS[2]")
    return Retry()
