"""What the start-up files call: DAIFU_BC_AUTOINSTRUMENT in the environment protects the program that is about to start.

In: the environment and the command line. Out: nothing. Always true: without the variable nothing is imported; whatever
goes wrong is one line on stderr, and the program runs as if this file were not there.
A module beside the package, not in it: importing it must not import the package (`.start` files import what they call).
"""

import os
import sys

VARIABLE = "DAIFU_BC_AUTOINSTRUMENT"
OFF = ("", "0", "false", "no", "off")
# Helpers of multiprocessing: they run nothing of the program's.
HELPERS = ("from multiprocessing.resource_tracker import ", "from multiprocessing.semaphore_tracker import ")

_begun = False


def begin() -> None:
    """Start protecting, if that is asked for. Never raises. Virtual environments up to 3.14 read their files twice."""
    global _begun
    try:
        if _begun or not _is_wanted(os.environ):
            return
        _begun = True
        from daifu_bc.autoinstrument import session

        session.begin_at_startup()
    except BaseException as error:  # start-up: the program must run as if we were not there
        _say(error)


def _is_wanted(environment: "os._Environ[str]") -> bool:
    if environment.get(VARIABLE, "").strip().lower() in OFF:
        return False
    if environment.get("DAIFU_BC_OFF", "").strip().lower() not in OFF:
        return False
    arguments = sys.orig_argv
    return not any(text.startswith(HELPERS) for text in arguments[1:])


def _say(error: BaseException) -> None:
    try:
        text = f"{type(error).__name__}: {error}".replace("\n", " ")
        sys.stderr.write(f"daifu_bc: not started, the program runs unprotected: {text}\n")
    except Exception:  # no stderr to write to
        return
