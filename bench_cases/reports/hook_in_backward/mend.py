"""Half a backward cannot be retried, so this goes on inside the hook, where it crashed, without the statistics."""

from daifu_bc import Use


def on_crash(crash):
    return Use(None) if crash.function.endswith("<lambda>") else None
