"""The main module of a script or a command: made as Python makes it, and run.

In: a path or a text. Out: code, what `__main__` has, tracebacks without our frames. Always true: `__main__` has the
names and values that plain Python gives it; what does not compile is left to Python, with its own words.
"""

from __future__ import annotations

import linecache
import sys
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from daifu_bc.autoinstrument.loaders import protect_module
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.interpreter import behavior

_COMMAND = "<string>"


def code_of_script(path: str, selection: Selection | None) -> CodeType | None:
    """The protected code of a script; None where Python itself has to read it (compiled files, errors)."""
    if path.endswith(".pyc"):
        return None
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return None
    return protect_module(code, "__main__", selection) if selection is not None else code


def code_of_command(text: str, selection: Selection) -> CodeType | None:
    """The protected code of `python -c text`; None where Python itself has to read it."""
    try:
        code = compile(text, _COMMAND, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    protected = protect_module(code, "__main__", selection)
    # As Python does since 3.13: tracebacks show the text.
    register: Any = vars(linecache).get("_register_code")
    if register is not None:
        register(protected if "_make_key" in vars(linecache) else _COMMAND, text, _COMMAND)
    return protected


def set_script(main: ModuleType, path: str) -> None:
    """Give `__main__` what a script has."""
    namespace: dict[str, Any] = vars(main)
    namespace["__file__"] = path
    if behavior.modules_have_cached:
        namespace["__cached__"] = None
    namespace["__loader__"] = SourceFileLoader("__main__", path)


def main_module() -> ModuleType:
    """The module that Python made for the program."""
    return sys.modules["__main__"]
