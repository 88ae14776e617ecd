"""What is told of a crash that waits.

In: a crash. Out: a function that makes the facts as of now: strings and numbers. Always true: nothing of the program is
referred to by what is returned; version 1 of the facts keeps these names.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable

from daifu_bc.console.values import one_line
from daifu_bc.console.view import CrashLike
from daifu_bc.remote import settings
from daifu_bc.remote.wire import VERSION, Message
from daifu_bc.remote.workers import place_in_loader, words_for_worker


def facts_of(crash: CrashLike, began: float, seconds: float) -> Callable[[], Message]:
    """began: time.time() of the crash; seconds: how long it waits."""
    frame = crash.frames[crash.frame]
    exception = crash.exception
    fixed: Message = {
        "v": VERSION,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "name": _name(),
        "rank": settings.rank(),
        "job": settings.job(),
        "thread": threading.current_thread().name,
        "function": frame.function,
        "filename": frame.filename,
        "lineno": frame.lineno,
        "exception": "pause" if exception is None else type(exception).__qualname__,
        "message": "" if exception is None else _message(exception),
        "since": began,
        "wait": seconds,
        "device_memory": _device_memory(),
        **place_in_loader(),
    }
    return lambda: {**fixed, "waited": time.time() - began, "memory": _memory()}


def words_for(facts: Message) -> str:
    """The crash in a line."""
    what = facts["exception"] + (f": {facts['message']}" if facts["message"] else "")
    worker = words_for_worker(facts)
    where = f"{facts['function']} ({facts['filename']}:{facts['lineno']})" + (f", {worker}" if worker else "")
    return f"{one_line(what, 100)} in {where}"


def _message(exception: BaseException) -> str:
    try:
        return one_line(str(exception), 500)
    except Exception as error:  # a user's __str__ may raise anything
        return f"(its message cannot be made: {type(error).__name__})"


def _name() -> str:
    given = os.environ.get("DAIFU_BC_NAME", "")
    if given:
        return given
    process = sys.modules.get("multiprocessing.process")
    name = process.current_process().name if process is not None else "MainProcess"
    arguments = getattr(sys, "argv", None) or [""]
    return name if name != "MainProcess" else os.path.basename(arguments[0]) or "python"


def _memory() -> int:
    """Bytes of memory that the process holds now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _device_memory() -> int:
    """Bytes that torch holds on this process's device; nothing is initialized for the answer."""
    torch = sys.modules.get("torch")
    try:
        return int(torch.cuda.memory_reserved()) if torch is not None and torch.cuda.is_initialized() else 0
    except Exception:  # a device that has failed may refuse any question
        return 0
