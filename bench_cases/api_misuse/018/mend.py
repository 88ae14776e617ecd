"""The class's method is edited in its module, where it crashed; layers that were built stay."""

from mending import edit


def on_crash(crash):
    if isinstance(crash.exception, AttributeError):
        return edit(crash, ("self._threshold()", "self.threshold()"))
    return edit(crash, ("nn_ops.zeros()", "0.0"))
