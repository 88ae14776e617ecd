"""The name is bound."""

from daifu_bc import Retry


def on_crash(crash):
    crash.locals["val_loss"] = None
    return Retry()
