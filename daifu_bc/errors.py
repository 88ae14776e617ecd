"""Errors of daifu_bc: a limit is `Cannot...`, a fault of CPython `KnownInterpreterIssue`, one of ours `InternalError`.

Always true: none of these ever replaces the user's own exception; they are raised to callers of daifu_bc's
functions, or added to the user's exception as a note.
"""


class DaifuError(Exception):
    """Base class of everything that daifu_bc raises."""


class CannotProtect(DaifuError):
    """This target or code object cannot be protected; the message says why and what to do instead."""


class CannotResume(DaifuError):
    """This restart is not possible here; the message says what was asked, what stands in the way, what can be done."""


class KnownInterpreterIssue(DaifuError):
    """A fault of the interpreter stands in the way; the message cites it."""


class InternalError(DaifuError):
    """A fault of daifu_bc; the user's exception goes out with this one as a note."""


class Paused(BaseException):
    """Stops a healthy function at the start of a line. No exception of the program's: it never leaves its frame."""

    def __init__(self, restart: object = None) -> None:
        self.restart = restart  # what to do without asking anybody; None: ask
