"""`%load_ext daifu_bc`: the cells of a notebook are protected, and what they define.

In: an IPython shell. Out: cells that stop at a crash and go on from it; `%%daifu` for one cell, `%daifu off` and `on`
for all. Always true: a cell runs in IPython as it always does, only its code is the protected one; `unload` puts back
what was changed; a frontend that nobody can type at is not asked.

What we want: the cell's own code protected. What does not work: import hooks, cells are compiled by IPython. What we
do: `run_code` of this shell gets the protected code. At a crash the console talks over the kernel's input line;
interrupting the kernel, or an end of the input, leaves the prompt, and the cell ends with its exception.
"""

from __future__ import annotations

import ast
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, TextIO, cast

from daifu_bc import decide
from daifu_bc.autoinstrument import options, policy, session
from daifu_bc.autoinstrument.program import Program
from daifu_bc.crash.entries import Entry, process_entry, set_process_entry
from daifu_bc.transform import Settings, protect_or_leave

Console = Callable[[Any], Any]
Talk = Callable[[Any, TextIO, TextIO], Any]  # the console, handed in: a crash, over these streams


class Notebook:
    """One shell whose cells are protected."""

    def __init__(self, shell: Any, talk: Talk) -> None:
        self.shell = shell
        self._talk = talk
        self.on = True
        self._console: Console | None = None
        self._begun = False

    def load(self) -> None:
        """Protect cells from the next one on."""
        self._begun = session.current() is None
        session.begin(Program(""))
        set_process_entry(process_entry(), below_main=False)
        self._console = decide.console()
        decide.set_console(self._ask)
        before = self.shell.run_code

        def run_code(code_obj: CodeType, *asked: Any, **more: Any) -> Any:
            return before(self._protected(code_obj), *asked, **more)

        self.shell.run_code = run_code
        self.shell.register_magic_function(self.for_one_cell, "cell", "daifu")
        self.shell.register_magic_function(self.switch, "line", "daifu")

    def unload(self) -> None:
        """Cells run as they are from the next one on."""
        vars(self.shell).pop("run_code", None)
        decide.set_console(self._console)
        if self._begun:
            session.end()

    def switch(self, line: str) -> None:
        """%daifu on|off: protect all cells, or none but those that begin with %%daifu."""
        asked = line.strip()
        if asked not in ("on", "off"):
            print(f"%daifu on, or %daifu off (it is {'on' if self.on else 'off'})")
            return
        self.on = asked == "on"

    def for_one_cell(self, line: str, cell: str) -> None:
        """%%daifu [POLICY]: protect this cell. POLICY: a function of the notebook, or module:function."""
        with self._as_asked(line.strip()):
            for code in self._codes(cell):
                exec(self._protected(code), self.shell.user_global_ns, self.shell.user_ns)

    def _codes(self, cell: str) -> Iterator[CodeType]:
        """The cell's code, as IPython compiles it; an expression at its end by itself, so that its value is shown.

        Run from here and not as another cell: IPython's handler for cells would catch everything in between.
        """
        shell = self.shell
        text = shell.transform_cell(cell)
        name = shell.compile.cache(text, shell.execution_count, raw_code=cell)
        nodes = shell.compile.ast_parse(text, filename=name).body
        shown = nodes[-1:] if nodes and isinstance(nodes[-1], ast.Expr) else []
        yield shell.compile(ast.Module(nodes[: len(nodes) - len(shown)], []), name, "exec")
        if shown:
            yield shell.compile(ast.Interactive(shown), name, "single")

    @contextmanager
    def _as_asked(self, name: str) -> Iterator[None]:
        was_on, self.on = self.on, True
        decider = self._policy(name) if name else None
        entry = process_entry()
        if decider is not None:
            set_process_entry(Entry(on_crash=decider), below_main=False)
        try:
            yield
        finally:
            self.on = was_on
            set_process_entry(entry, below_main=False)

    def _policy(self, name: str) -> Callable[[Any], Any]:
        if ":" in name:
            return policy.find(name, os.getcwd())
        found = self.shell.user_ns.get(name)
        if not callable(found):
            raise TypeError(f"%%daifu {name}: a function of the notebook is wanted, not {found!r}")
        return cast(Callable[[Any], Any], found)

    def _protected(self, code: CodeType) -> CodeType:
        if not self.on or options.is_off(os.environ) or _is_for_one_cell(code):
            return code
        return protect_or_leave(code, Settings())

    def _ask(self, crash: Any) -> Any:
        """The console over the kernel's input line; in a terminal the terminal's own."""
        if not _can_type(self.shell):
            return self._console(crash) if self._console is not None else None
        return self._talk(crash, cast(TextIO, _InputLine()), sys.stdout)


def _is_for_one_cell(code: CodeType) -> bool:
    """The call that %%daifu becomes: protected itself, it would be what the cell's crashes are handled by."""
    return "run_cell_magic" in code.co_names and "daifu" in code.co_consts


class _InputLine(io.TextIOBase):
    """What is typed into the kernel's input line. Interrupting the kernel is the end of it."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # text, as TextIO has it
        try:
            return f"{input()}\n"
        except (EOFError, KeyboardInterrupt):
            return ""
        finally:
            print()  # what was typed is not shown behind the prompt

    def readable(self) -> bool:
        return True


def _can_type(shell: Any) -> bool:
    """Does a kernel run the shell, whose frontend offers an input line?"""
    return bool(getattr(getattr(shell, "kernel", None), "_allow_stdin", False))


_loaded: list[Notebook] = []


def load(shell: Any, talk: Talk) -> None:
    """What IPython calls for `%load_ext daifu_bc`."""
    if not _loaded:
        _loaded.append(Notebook(shell, talk))
        _loaded[0].load()


def unload(shell: Any) -> None:
    """What IPython calls for `%unload_ext daifu_bc`."""
    while _loaded:
        _loaded.pop().unload()
