"""The argument is changed; the `with` is entered."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("args.save = 'model.pt'")
    return Retry()
