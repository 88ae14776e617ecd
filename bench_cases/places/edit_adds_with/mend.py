"""The source is put right, and the loop is run again from its accumulator on; what it had done is taken back by hand."""

from fault import FIX

from daifu_bc import At
from mending import edit

UNDO = """
scope.reuse = False
scope.store.clear()
losses.clear()
drawn.clear()
graph.entered = 1
np.random.seed(0)
np.random.normal(size=4 * 8 * (3 + 1))
""".split("\n")[1:-1]


def on_crash(crash):
    train = next(frame for frame in crash.frames if frame.function == "train")
    index = crash.frames.index(train)
    for action in UNDO:
        train.run(action)
    return At(index, edit(crash, *FIX, at="towers = []"))
