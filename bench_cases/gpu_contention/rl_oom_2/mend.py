"""The whole model goes to another device."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("device = CARDS[2]")
    return Retry()
