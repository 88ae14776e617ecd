"""Everything that is imported is protected: an import hook for programs that do not know of us.

In: a mode. Out: this process, in which the Python code of every module (loaded already, or imported from now on) is
protected. Always true: daifu_bc itself and what a barrier needs to run are left alone; what cannot be protected is left
as it is, with the reason in `daifu_bc.skipped()`; the modules, their loaders and specs are the usual ones.

Modes:
  plain      nothing of daifu_bc is imported
  protected  all code is protected, nothing is an entry: barriers pass every exception on at once
  below      ... and the whole run is one entry: each barrier searches for who handles the exception
  asked      ... and each test is an entry of its own, with a policy that looks at all that a crash shows, and passes
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from importlib._bootstrap_external import SourceFileLoader  # the private one: what `import` itself uses
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

MODES = ("plain", "protected", "below", "asked")
LEFT_ALONE = frozenset({"daifu_bc", "bytecode", "downstream", "__main__"})
_OURS = os.path.join(os.path.dirname(importlib.util.find_spec("daifu_bc").origin), "")  # type: ignore[union-attr, type-var, arg-type]


def protect_everything() -> None:
    """From now on, and what is there already."""
    _hook_imports()
    _hide_from_tracers()
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] not in LEFT_ALONE:
            _protect_functions(module)


def enter(function: Callable[..., Any], scope: str, policy: Callable[[Any], Any] | None = None) -> None:
    """Make `function` an entry. What is not in its scope was protected by the hook, too."""
    import daifu_bc

    daifu_bc.set_default_policy(lambda crash: None)
    daifu_bc.protect(function, scope=scope, on_crash=policy)


def look(crash: Any) -> None:
    """A policy that reads all that it can, changes nothing and leaves the decision to nobody."""
    import daifu_bc as d

    for frame in crash.frames:
        _ = (frame.function, frame.filename, frame.lineno, frame.offset, frame.statement, frame.expression)
        _ = [(entry.source, type(entry.result)) for entry in frame.finished]
        _ = [(loop.lineno, loop.source, loop.state, type(loop.iterator)) for loop in frame.loops]
        _ = [type(frame.locals[name]) for name in list(frame.locals)]
    for restart in (d.Retry(), d.Redo(), d.Skip(), d.Use(0), d.Return(0), d.NextIteration(), d.Jump(crash.lineno)):
        crash.can(restart)


def _hook_imports() -> None:
    from daifu_bc.transform import Settings
    from daifu_bc.transform.protect import protect_nested

    settings = Settings()
    get_code = SourceFileLoader.get_code

    def get_protected_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        code = get_code(self, fullname)
        if code is None or fullname.partition(".")[0] in LEFT_ALONE:
            return code
        (protected,) = protect_nested((code,), settings)
        return protected  # type: ignore[return-value]

    SourceFileLoader.get_code = get_protected_code  # type: ignore[method-assign]


def _hide_from_tracers() -> None:
    """Trace and profile functions of tests compare all events: they are not told of what barriers do."""
    for name in ("trace", "profile"):
        _filter_events(name)


def _filter_events(name: str) -> None:
    set_, get, wrapped = getattr(sys, f"set{name}"), getattr(sys, f"get{name}"), {}

    def set_filtered(function: Callable[..., Any] | None) -> None:
        if not callable(function):
            set_(function)
            return

        def filtered(frame: FrameType, event: str, argument: object) -> object:
            return None if _is_ours(frame) else function(frame, event, argument)

        wrapped[filtered] = function
        set_(filtered)

    setattr(sys, f"set{name}", set_filtered)
    setattr(sys, f"get{name}", lambda: wrapped.get(get(), get()))


def _is_ours(frame: FrameType | None) -> bool:
    """Is this a frame of daifu_bc, one that was called by it, or one of this file?"""
    if frame is not None and frame.f_code.co_filename == __file__:
        return True
    while frame is not None and not frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame is not None


def _protect_functions(module: ModuleType) -> None:
    from daifu_bc.targets import functions_in

    for function in functions_in(module):
        if function.__globals__ is vars(module):
            _protect_function(function)


def _protect_function(function: FunctionType) -> None:
    from daifu_bc import swaps
    from daifu_bc.errors import DaifuError
    from daifu_bc.transform import Settings

    try:
        swaps.install(function, swaps.make(swaps.original_code(function), Settings()))
    except DaifuError:
        return  # the reason is on record
