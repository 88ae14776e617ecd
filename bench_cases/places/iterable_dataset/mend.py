"""Read once more, in the generator: batch, chain and loader do not notice."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
