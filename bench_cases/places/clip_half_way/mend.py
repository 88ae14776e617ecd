"""The gradients are made anew, from the same batch."""

from daifu_bc import Jump


def on_crash(crash):
    lines = open(crash.filename).read().splitlines()
    return Jump(lines.index("        optimizer.zero_grad()") + 1)
