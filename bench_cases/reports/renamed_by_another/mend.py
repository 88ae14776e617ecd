"""It is done: the statement is passed over, and the rank meets the other one at the barrier."""

from daifu_bc import At, Skip


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "main")
    return At(index, Skip()) if index else Skip()
