"""The end of every import: told by local events on the two functions of importlib that end one.

In: a callback. Out: watches. Always true: no import statement gets slower by it, nothing is wrapped; the callback gets
the module, after its code has run.
"""

from __future__ import annotations

import importlib._bootstrap as _bootstrap
import importlib._bootstrap_external as _bootstrap_external
import sys
from collections.abc import Callable
from types import CodeType

from daifu_bc.interpreter import tool_ids


def watch_imports(callback: Callable[[object], None]) -> list[tool_ids.Watch]:
    """Call `callback` with each module whose import ends, until the watches are stopped. Empty: no tool id is free."""

    def loaded(code: CodeType, offset: int, module: object) -> None:
        callback(module)

    def executed(code: CodeType, offset: int, result: object) -> None:
        frame = sys._getframe()
        while frame.f_code is not code and frame.f_back is not None:
            frame = frame.f_back
        callback(frame.f_locals.get("module"))

    ends = {
        # Every import statement; then: reload, and modules loaded by path. Both private, both there since 3.5.
        vars(_bootstrap)["_load_unlocked"].__code__: loaded,
        vars(_bootstrap_external)["_LoaderBasics"].exec_module.__code__: executed,
    }
    watches = (tool_ids.watch(code, tool_ids.events.PY_RETURN, told) for code, told in ends.items())
    return [watch for watch in watches if watch is not None]
