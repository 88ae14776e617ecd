"""The line of the callback is edited, while the library's `fit` is running."""

from fault import FIX

from mending import edit


def on_crash(crash):
    return edit(crash, *FIX)
