"""The schedule is over: the statement is passed over, and what it had counted is taken back."""

from daifu_bc import Skip


def on_crash(crash):
    crash.run("scheduler.last_epoch -= 1")
    crash.run("scheduler._step_count -= 1")
    return Skip()
