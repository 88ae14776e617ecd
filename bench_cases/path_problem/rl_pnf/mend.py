"""The literal is edited; the `break` behind it leaves the right loop."""

from mending import edit


def on_crash(crash):
    return edit(crash, ('"checkpoint/policy.pt"', '"policy.pt"'))
