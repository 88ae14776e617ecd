"""The flag is taken back, and the variable is asked for again. Nothing before it is done anew."""

from daifu_bc import Retry


def on_crash(crash):
    train = next(frame for frame in crash.frames if frame.function == "train")
    train.run("scope.reuse = False")
    return Retry()
