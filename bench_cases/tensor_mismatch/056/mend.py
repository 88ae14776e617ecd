"""The line further down is edited, the image at hand unwrapped: the random start image is not drawn again."""

from daifu_bc import At, Retry, patch
from mending import change_file


def on_crash(crash):
    wrong, right = "image = [np.repeat(np.repeat(image, 2, 0), 2, 1)[:8, :8]]", "image = np.repeat(np.repeat(image, 2, 0), 2, 1)[:8, :8]"
    change_file(crash.filename, (wrong, right))
    patch(crash.globals["generate"])
    generate = next(frame for frame in crash.frames if frame.function == "generate")
    generate.run("image = image[0]")
    generate.finished.clear()
    return At(crash.frames.index(generate), Retry())
