"""Freeing memory and trying again.

In: a crash whose exception says that memory ran out. Out: Retry, after everything that nothing uses any more
is freed. Always true: torch is used if the program has imported it, never imported here. Variables of calls
that the exception has already ended are dropped (activations live there); those of living frames are not
touched.
"""

from __future__ import annotations

import errno
import gc
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from daifu_bc.interpreter.behavior import GENERATES
from daifu_bc.restarts.policy_base import CrashLike, Decision, Policy, at_least_one
from daifu_bc.restarts.restarts import Retry

CLASS_NAME = (
    "OutOfMemoryError"  # torch.OutOfMemoryError, cupy's, jax's: told by name, so that none is imported
)
PHRASES = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "failed to allocate memory",
    "_status_alloc_failed",
    "resource_exhausted",
)
ACCELERATORS = ("cuda", "xpu", "mps")
# Clearing the frame of a suspended generator ends the generator (3.12), and one that an exception went
# through and that handled it may be in the traceback.


class FreeMemoryPolicy(Policy):
    """Where memory ran out: free what can be freed, and retry."""

    __slots__ = ("attempts",)

    def __init__(self, attempts: int) -> None:
        self.attempts = at_least_one("attempts", attempts) or 1

    def consider(self, crash: CrashLike) -> Decision | None:
        exception = crash.exception
        if crash.attempt > self.attempts or not is_out_of_memory(exception):
            return None
        return Decision(Retry(), lambda: free(exception))

    def __repr__(self) -> str:
        return f"free memory and retry, at most {self.attempts} times in a row"


def is_out_of_memory(exception: BaseException) -> bool:
    """Whether the exception says that memory ran out, the host's or a device's."""
    if isinstance(exception, MemoryError):
        return True
    if any(cls.__name__ == CLASS_NAME for cls in type(exception).__mro__):
        return True
    if isinstance(exception, OSError):
        return exception.errno == errno.ENOMEM
    return isinstance(exception, RuntimeError) and any(phrase in str(exception).lower() for phrase in PHRASES)


def free(exception: BaseException) -> bool:
    """Free variables of ended calls, then unreachable cycles, then device caches: each feeds the next."""
    for frame in ended_frames(exception):
        clear(frame)
    gc.collect()
    empty_device_caches(sys.modules.get("torch"))
    return True


def ended_frames(exception: BaseException) -> Iterator[FrameType]:
    """The frames in the tracebacks of the exception and of those it came from; some may be alive still."""
    pending: list[BaseException | None] = [exception]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        pending += [current.__cause__, current.__context__]
        traceback = current.__traceback__
        while traceback is not None:
            yield traceback.tb_frame
            traceback = traceback.tb_next


def clear(frame: FrameType) -> None:
    """Drop the frame's variables if its call has ended."""
    if frame.f_code.co_flags & GENERATES:
        return
    try:
        frame.clear()
    except RuntimeError:
        pass  # it is still running: one of the frames that the run goes on in


def empty_device_caches(torch: Any) -> None:
    """Give the cached device memory back, so that a larger block can be had."""
    for name in ACCELERATORS:
        device = getattr(torch, name, None)
        if device is not None and hasattr(device, "empty_cache") and device.is_available():
            device.empty_cache()
