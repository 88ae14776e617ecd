"""The layer that failed is edited, the name imported, and the run goes on at the edited `compile` before the crash."""

from daifu_bc import Retry
from mending import edit


def on_crash(crash):
    if isinstance(crash.exception, NameError):
        crash.run("from smallnet import SGD")
        return Retry()
    if "categorical" in str(crash.exception):
        return edit(crash, ('"categorical"', '"squared"'), at='model.compile("squared", sgd)')
    return edit(crash, ("model.add(Conv2D(2, 4))", "model.add(Conv2D(2, 2))"))
