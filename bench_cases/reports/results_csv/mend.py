"""The spreadsheet is closed: once more."""

from daifu_bc import Retry


def on_crash(crash):
    return Retry()
