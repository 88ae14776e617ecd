"""The handler's report is passed over, within the handler."""

from daifu_bc import Skip


def on_crash(crash):
    return Skip()
