"""The program that Python is about to start is run by us instead: a script, or the text of `python -c`.

In: at start-up, before Python has looked at the program. Out: nothing; the program runs protected from its first line.
Always true: Python goes on as it always does around it (exit status, atexit, `-X` options, signals), and where anything
stands in the way Python runs the program itself, unprotected.

What we want: to exchange the code of the main module. What does not work: Python compiles a script and a command in C,
no import hook sees them; events come once the code runs, too late to exchange it; running the program from the
start-up file would run it inside `import site`, with the exit that an error in there has. What we do:
* Script: Python first asks `sys.path_hooks` whether the script is an archive or a folder. We say that it is one; so
  Python runs `runpy._run_module_as_main("__main__")`, and finds us in the place of runpy.
* Command: Python tells audit hooks that it is about to run one (`cpython.run_command`). Ours runs it and leaves by
  SystemExit. An audit hook stays for the life of the process; from then on it is a function in C that does nothing.
* `python -m`, folders and archives: runpy asks a loader for the code, which is the import hook's (loaders.py).
What still fails: programs on stdin, `-i`, `-x` and compiled scripts start unprotected, what they import does not; an
interrupted command exits with status 1, and not by SIGINT.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from daifu_bc.autoinstrument import main_module
from daifu_bc.autoinstrument.program import Program
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.autoinstrument.tracebacks import without_frame


def take_over(program: Program, selection: Selection) -> None:
    """Run the program in Python's place, if it is one that no loader loads."""
    if sys.flags.inspect or program.skips_first_line:
        return
    if program.kind == "script" and not is_archive(program.what):
        Script(selection).wait()
    elif program.kind == "command" and not program.is_helper:
        sys.addaudithook(Command(selection))


class Script:
    """Waits in `sys.path_hooks` for Python's question whether the script is an archive."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.path = ""
        self.code: CodeType | None = None
        self.runpy: ModuleType | None = None

    def wait(self) -> None:
        """The last path hook: where it is asked, nobody else knows the path as an archive."""
        sys.path_hooks.append(self._asked)

    def _asked(self, path: str) -> Any:
        """A path hook: says that the script is an archive. Raises ImportError for everything else."""
        if not _is_called_by_python():
            raise ImportError(path)
        sys.path_hooks.remove(self._asked)
        code = self._code(path)
        if code is None:
            raise ImportError(path)
        self.path, self.code = path, code
        self.runpy = sys.modules.get("runpy")
        vars(self)["_run_module_as_main"] = self._run
        sys.modules["runpy"] = self  # type: ignore[assignment]
        return self

    def _code(self, path: str) -> CodeType | None:
        """None: Python runs the script itself."""
        return main_module.code_of_script(path, self.selection) if os.path.isfile(path) else None

    def _run(self, name: str, alter_argv: object) -> None:
        code, path = self.code, self.path
        assert code is not None
        self._leave()
        sys.audit("cpython.run_file", path)
        main = main_module.main_module()
        main_module.set_script(main, path)
        try:
            exec(code, vars(main))
        except BaseException as error:  # it goes on, without this frame
            error.__traceback__ = without_frame(error, globals())
            raise

    def _leave(self) -> None:
        """Everything is as it is when Python runs a script."""
        if self.runpy is None:
            del sys.modules["runpy"]
        else:
            sys.modules["runpy"] = self.runpy
        sys.path_importer_cache[self.path] = None
        if sys.path and sys.path[0] == self.path:
            if sys.flags.safe_path:
                del sys.path[0]
            else:
                sys.path[0] = os.path.dirname(os.path.realpath(self.path))


class Command:
    """An audit hook that runs the command that Python is about to run."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.__cantrace__ = True  # otherwise nothing in the program could be traced

    def __call__(self, event: str, details: tuple[Any, ...]) -> None:
        if event != "cpython.run_command":
            return
        type(self).__call__ = staticmethod({}.get)  # type: ignore[assignment, method-assign]
        code = main_module.code_of_command(details[0], self.selection)
        if code is None:
            return
        try:
            exec(code, vars(main_module.main_module()))
        except BaseException as error:  # it goes on, without this frame
            error.__traceback__ = without_frame(error, globals())
            raise
        raise SystemExit(0)


def is_archive(path: str) -> bool:
    """Is it something that Python finds a `__main__` module in: a folder, a zip file?"""
    return any(_takes(hook, path) for hook in sys.path_hooks)


def _takes(hook: Callable[[str], object], path: str) -> bool:
    """Does a path hook know what to do with an archive like this?"""
    try:
        hook(path)
    except ImportError:
        return False
    return True


def _is_called_by_python() -> bool:
    """Has the hook no caller in Python? Then it is not asked about an entry of `sys.path`."""
    frame = sys._getframe(1)
    return frame.f_back is None
