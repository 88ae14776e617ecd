"""Handled exceptions are the program's own; the file that is missing in the end is written from what is known."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("open('net-1.txt', 'w').write(str(losses[1]))")
    crash.run("said.clear()")
    return Retry()
