"""The loop goes on with a new loader over what was not seen yet; its seed is drawn from a generator of its own."""

from daifu_bc import At, Retry


def on_crash(crash):
    index = next(i for i, frame in enumerate(crash.frames) if frame.function == "train")
    frame = crash.frames[index]
    rest = "torch.utils.data.Subset(data, range(4 * len(seen), len(data)))"
    loader = f"torch.utils.data.DataLoader({rest}, batch_size=4, num_workers=2, generator=torch.Generator())"
    frame.loops[0].iterator = frame.run(f"iter({loader})")
    return At(index, Retry())
