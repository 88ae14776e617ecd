"""The condition is edited and taken again, behind the dropout that has been drawn."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("elif epoch > 2:", "elif epoch >= 2:"), at="if epoch < 2:")
