"""The line is edited; the open run stays the same."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("Dense(8), input_dim=12)", "Dense(8, input_dim=12))"))
