"""Fewer units, from the same random numbers; the name is still the module's."""

import traceback

from daifu_bc import Redo


def on_crash(crash):
    crash.run("args.nhid = 20")
    crash.run("np.random.seed(seed)")
    traceback.clear_frames(crash.exception.__traceback__)
    crash.finished.clear()
    return Redo()
