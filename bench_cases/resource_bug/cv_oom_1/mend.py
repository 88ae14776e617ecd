"""The class is defined anew, smaller, and the first model is dropped: beside it the second one would not fit."""

import traceback

from daifu_bc import Redo

SMALLER = """
class Net(Model):
    def __init__(self):
        self.first = np.full((5, 25), 0.1)
        self.second = np.full((25, 25), 0.2)
"""


def on_crash(crash):
    crash.run(SMALLER)
    traceback.clear_frames(crash.exception.__traceback__)
    crash.finished.clear()
    return Redo()
