"""Crashes in the worker processes of a DataLoader: which worker and sample it is, and a parent that waits for them.

In: the stack, a crash. Out: facts; a decision for a parent whose loader has timed out meanwhile. Always true: torch is
not imported; what is found is only read; a loader that times out while none of its workers waits has timed out.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final

from daifu_bc.autoinstrument.announce import say
from daifu_bc.console.values import one_line
from daifu_bc.console.view import CrashLike
from daifu_bc.crash.frame_slots import read_slot
from daifu_bc.remote.folder import folder_path, opened
from daifu_bc.remote.wire import Message
from daifu_bc.restarts.restarts import At, Restart, Return

_FETCH: Final = "torch.utils.data._utils.fetch"
_WORKER: Final = "torch.utils.data._utils.worker"
_LOADER: Final = "torch.utils.data.dataloader"


def place_in_loader() -> Message:
    """Of the crash in this thread: the numbers of the worker and its batch, and the index of the sample being read."""
    found: Message = {"worker": None, "batch": None, "sample": None}
    module = sys.modules.get(_WORKER)
    info = module.get_worker_info() if module is not None else None
    if info is None:
        return found
    found["worker"] = int(info.id)
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        name = (frame.f_globals.get("__name__"), frame.f_code.co_name)
        if name == (_FETCH, "fetch"):
            found["sample"] = _words(read_slot(frame, "idx", None))
        elif name == (_WORKER, "_worker_loop") and isinstance(batch := read_slot(frame, "idx", None), int):
            found["batch"] = batch
    return found


def words_for_worker(facts: Message) -> str:
    """"loader worker 1, sample 7", or nothing."""
    if facts.get("worker") is None:
        return ""
    what = next((f", {name} {facts[name]}" for name in ("sample", "batch") if facts.get(name) is not None), "")
    return f"loader worker {facts['worker']}{what}"


def _words(index: object) -> str | None:
    """Of the index of the sample that is read while the list of samples is made."""
    try:
        return one_line(str(index), 60) if index is not None else None
    except Exception:  # a sampler may give anything, with any __str__
        return None


def wait_for_workers(crash: CrashLike) -> Restart | None:
    """The loader has timed out: wait on as long as one of its workers waits to be mended, then go on with its batch."""
    frames = crash.frames
    if not (isinstance(crash.exception, RuntimeError) and _LOADER in sys.modules):
        return None
    for number, frame in enumerate(frames):
        loader: Any = frame.locals.get("self") if _is_waiting_for_data(frame.function) else None
        said = False
        while loader is not None and (waiting := _waiting_workers(loader)):
            if not said:
                say(f"the loader has timed out, and waits on for its worker{waiting} to be mended")
                said = True
            success, data = loader._try_get_data(loader._timeout)
            if success:
                return At(number, Return(data))
    return None


def _is_waiting_for_data(function: str) -> bool:
    return function.rpartition(".")[2] == "_get_data"


def _waiting_workers(loader: Any) -> str:
    numbers = [worker.pid for worker in getattr(loader, "_workers", ()) if _waits(worker.pid)]
    return ("s" if numbers[1:] else "") + f" ({', '.join(map(str, numbers))})" if numbers else ""


def _waits(pid: int | None) -> bool:
    try:
        with opened(folder_path()) as folder:
            return os.path.exists(f"{folder}/{pid}.sock")
    except OSError:
        return False
