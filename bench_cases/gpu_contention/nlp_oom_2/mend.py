"""The module's name gets another device."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("device = CARDS[1]")
    return Retry()
