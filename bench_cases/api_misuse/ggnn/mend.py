"""The line is edited."""

from mending import edit


def on_crash(crash):
    return edit(crash, (".data[0]", ".data.item()"))
