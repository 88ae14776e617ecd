"""The layer is edited; the data are transposed in place."""

from daifu_bc import Retry
from mending import edit


def on_crash(crash):
    if "input_shape" in crash.statement:
        return edit(crash, ("input_shape=(1, 5, 5)", "input_shape=(5, 5, 1)"))
    crash.run("X_train = X_train.transpose(0, 2, 3, 1)")
    return Retry()
