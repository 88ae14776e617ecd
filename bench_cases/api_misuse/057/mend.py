"""The warning is ignored; what the failed call had put on the list is taken off before it is called again."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("warnings.simplefilter('ignore')")
    crash.run("REGISTRY.pop()")
    return Retry()
