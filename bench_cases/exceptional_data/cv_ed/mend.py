"""The rest of the loop's body gets a `try`, and the run goes on in it: this batch and later ones like it are passed over."""

from fault import FIX

from mending import edit


def on_crash(crash):
    import daifu_bc

    train = next(frame for frame in crash.frames if frame.function == "train")
    return daifu_bc.At(crash.frames.index(train), edit(crash, *FIX, at="try:"))
