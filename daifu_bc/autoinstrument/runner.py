"""A program run from within Python, as `daifu-bc run` does: as if Python had been started for it.

In: a program, its arguments. Out: the program's own end. Always true: `__main__`, `sys.argv` and `sys.path` are the
program's; the traceback that is shown is the program's; the exit status is that of plain Python.
"""

from __future__ import annotations

import builtins
import os
import pkgutil
import runpy
import sys
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType, TracebackType

from daifu_bc.autoinstrument import main_module, session
from daifu_bc.autoinstrument.program import Program
from daifu_bc.autoinstrument.takeover import is_archive
from daifu_bc.autoinstrument.tracebacks import without_frame
from daifu_bc.interpreter import behavior

_before: list[ModuleType] = []  # the main modules that we took the place of: their namespaces must live on


def run(program: Program, arguments: Sequence[str]) -> None:
    """Run the program as the main module. Raises what it raises; what is no SystemExit has been shown by then."""
    begun = session.begin(program)
    sys.argv[:] = ["-m" if program.kind == "module" else program.what, *arguments]
    _set_path(program)
    work = _work(program, begun)
    try:
        work()
    except SystemExit:
        raise
    except (
        BaseException
    ) as error:  # shown as Python would show it, without us; then it ends the process as usual
        error.__traceback__ = without_frame(error, globals())
        _show(error)
        raise


def _set_path(program: Program) -> None:
    """What Python puts in front of `sys.path` for the program, in place of what it did for us."""
    if program.kind == "script" and is_archive(program.what):
        found = os.path.abspath(program.what)
    elif sys.flags.safe_path:
        return
    elif program.kind == "module":
        found = os.getcwd()
    else:
        found = os.path.dirname(os.path.realpath(program.what))
    if sys.flags.safe_path:
        sys.path.insert(0, found)
    else:
        sys.path[0] = found


def _work(program: Program, begun: session.Session | None) -> Callable[[], object]:
    main = _new_main()
    if program.kind == "module":
        return lambda: runpy._run_module_as_main(program.what, alter_argv=True)  # type: ignore[attr-defined]
    if is_archive(program.what):
        return lambda: runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]
    path = os.path.abspath(program.what)
    if not os.path.isfile(path):
        return lambda: _refuse(path)
    selection = begun.selection if begun is not None else None
    main_module.set_script(main, path)
    return lambda: exec(main_module.code_of_script(path, selection) or _plain(path), vars(main))


def _plain(path: str) -> CodeType:
    """The code as Python reads it: of a compiled file, or with the errors that it has."""
    with open(path, "rb") as file:
        code: CodeType | None = pkgutil.read_code(file)  # as runpy does
        if code is None:
            file.seek(0)
            code = compile(file.read(), path, "exec", dont_inherit=True)
    return code


def _new_main() -> ModuleType:
    _before.append(sys.modules["__main__"])
    main = ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if behavior.main_has_annotations:
        vars(main)["__annotations__"] = {}
    sys.modules["__main__"] = main
    return main


def _refuse(path: str) -> None:
    """In Python's words."""
    print(f"{sys.executable}: can't open file {path!r}: [Errno 2] No such file or directory", file=sys.stderr)
    raise SystemExit(2)


def _show(error: BaseException) -> None:
    """Let the program's excepthook show the error; Python, which does so too, shows nothing then."""
    sys.excepthook(type(error), error, error.__traceback__)
    sys.excepthook = _silent


def _silent(kind: type[BaseException], error: BaseException, trail: TracebackType | None) -> None:
    return
