"""The layer is edited; the data are reshaped in place."""

from daifu_bc import Retry
from mending import edit


def on_crash(crash):
    if "input_shape" in crash.statement:
        return edit(crash, ("input_shape=(1, 6, 6)", "input_shape=(6, 6, 1)"))
    crash.run("x_train = x_train.reshape(16, 6, 6, 1)")
    return Retry()
