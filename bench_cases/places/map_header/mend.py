"""The user knows what is meant."""

from daifu_bc import Use


def on_crash(crash):
    return Use(0.75)
