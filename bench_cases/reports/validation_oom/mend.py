"""`validate` is called again as a whole, with smaller batches: its loop had the old size already."""

from daifu_bc import At, Use


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "main")
    return At(index, Use(crash.frames[index].run("validate(model, x, y, 6)")))
