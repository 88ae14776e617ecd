"""What is measured: `protect`, the engine's or, with DAIFU_BC_PERF_STUB=1, one that does nothing.

The stub is for trying the measurements themselves: every ratio must then come out as 1.
Always true: programs under measurement are protected through here only, and only the code nested in them with
them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

STUB = os.environ.get("DAIFU_BC_PERF_STUB", "") not in ("", "0")

Function = Callable[..., Any]


def protect(function: Function, on_crash: Callable[[Any], Any] | None = None) -> Function:
    """`function`, protected with the code nested in it (and nothing else)."""
    if STUB:
        return function
    import daifu_bc

    protected: Function = daifu_bc.protect(function, on_crash=on_crash, scope="nested")
    return protected


def retry_always(crash: Any) -> Any:
    """A policy that costs next to nothing."""
    from daifu_bc.restarts.restarts import Retry

    return Retry()


def why_not() -> str | None:
    """Why protection cannot be measured here, or None."""
    if STUB:
        return None
    try:
        import daifu_bc

        daifu_bc.protect(lambda: 0)
    except (ImportError, AttributeError) as error:
        return f"daifu_bc cannot protect here: {error}"
    return None
