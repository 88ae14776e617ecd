"""What the layer counted is taken back; the forward pass is run with another batch."""

from daifu_bc import At, Retry


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "main")
    crash.frames[index].run("batch = data[:2]")
    crash.frames[index].run("model[1].num_batches_tracked -= 1")
    return At(index, Retry())
