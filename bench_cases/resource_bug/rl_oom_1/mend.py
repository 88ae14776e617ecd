"""Class, model and optimizer are made anew, as globals of the script; the half-moved model goes."""

import traceback

from daifu_bc import Retry

SMALLER = """
class Policy(Model):
    def __init__(self):
        self.affine1 = np.full((4, 10), 0.1)
        self.action_head = np.full((10, 8), 0.1)
model = Policy()
optimizer = Optimizer(model, 0.01)
"""


def on_crash(crash):
    traceback.clear_frames(crash.exception.__traceback__)
    crash.run(SMALLER)
    assert crash.run("device.used") == 0, "the first model is still held"
    return Retry()
