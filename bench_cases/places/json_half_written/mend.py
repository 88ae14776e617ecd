"""The value is put right, the half row taken back."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("row['labels'] = sorted(row['labels'])")
    crash.run("file.seek(0)")
    crash.run("file.truncate()")
    return Retry()
