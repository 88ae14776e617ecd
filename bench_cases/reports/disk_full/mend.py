"""There is room again; what was half written is taken back, and written once more."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("file.seek(0)")
    crash.run("file.truncate()")
    return Retry()
