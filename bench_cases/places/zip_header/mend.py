"""A retry is refused; the pair is supplied."""

from daifu_bc import CannotResume, Retry, Use


def on_crash(crash):
    if crash.can(Retry()) is None:
        raise CannotResume("a retry would lose a name")
    return Use(("c", 0.75))
