"""The batch is passed over; what BatchNorm has counted already is taken back."""

from daifu_bc import At, NextIteration


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "main")
    crash.frames[index].run("model[1].num_batches_tracked -= 1")
    return At(index, NextIteration()) if index != crash.frame else NextIteration()
