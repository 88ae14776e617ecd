"""There is no card: the call's result is None."""

from daifu_bc import At, Use


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "main")
    return At(index, Use(None)) if index else Use(None)
