"""The function of the other module is edited where it crashed: what it told the queue, it told once."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("image for image in images", "image[:3] for image in images"))
