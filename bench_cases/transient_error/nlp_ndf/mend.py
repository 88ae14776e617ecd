"""Once more, both times; the second time inside an open `with`.

The call has used up the generator `model.parameters()`, which `Retry` would give it again, and which is refused for
that: the statement runs again as a whole.
"""

from daifu_bc import Redo, Retry


def on_crash(crash):
    return Redo() if crash.can(Retry()) else Retry()
