"""Evaluating what is typed: where the crash is, by the crash's own `run`.

In: Python at the prompt. Out: its value or its exception, shown. Always true: what is typed runs by
`crash.frames[i].run` where the selected frame is one of those (so that what it assigns arrives, on every
Python), and in pdb's own way elsewhere; a blank line never runs a statement again.
"""

from __future__ import annotations

import ast
import codeop
from types import FrameType
from typing import Any

from daifu_bc.console.prompt import CONVENIENCE, UNMANGLED, Prompt


class _Words(str):
    """Text whose repr is itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Evaluating(Prompt):
    """pdb's evaluating, led to the crash."""

    def default(self, line: str) -> None:
        """What is no command is Python, run where the crash is. A blank line does not run it again."""
        self.lastcmd = ""
        if self.selected is None:
            super().default(line)
            return
        source = self._read_statement(line.removeprefix("!").strip())
        if source:
            self._execute(source)

    def _read_statement(self, source: str) -> str | None:
        """The rest of a statement that needs more lines; None if its end does not come."""
        while _is_incomplete(source):
            line = self.read("...   ")
            if line is None:
                self.message("")
                return None
            source += "\n" + line
        return source

    def _execute(self, source: str) -> None:
        try:
            for part in _parts(source):
                self.displayhook(self._run(part))
        except BaseException:  # as in pdb: shown, whatever it is
            self.show_error()

    def _run(self, source: str) -> Any:
        """Run `source` in the selected frame, which is one of the crash's."""
        frame = self.selected
        assert frame is not None
        return frame.run(source.replace(f"{CONVENIENCE}[", f"{UNMANGLED}["))

    def _getval(self, arg: str) -> Any:
        if self.selected is None:
            return super()._getval(arg)
        try:
            compile(arg, "<stdin>", "eval")  # a statement is a SyntaxError here, as in pdb
            return self._run(arg)
        except BaseException:  # as in pdb: shown, then the command ends
            self.show_error()
            raise

    def _getval_except(self, arg: str, frame: FrameType | None = None) -> Any:
        if self.selected is None or frame is not None:
            return super()._getval_except(arg, frame)
        try:
            return self._run(arg)
        except BaseException as error:  # as in pdb: shown in place of the value
            return _Words(f"** raised {type(error).__name__}: {error} **")


def _is_incomplete(source: str) -> bool:
    try:
        return bool(source) and codeop.compile_command(source, "<stdin>", "single") is None
    except (SyntaxError, ValueError, OverflowError):
        return False  # running it will tell


def _parts(source: str) -> list[str]:
    """Statements one by one where the value of one of several is to be shown, else the whole."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [source]
    if len(body) < 2 or not any(isinstance(statement, ast.Expr) for statement in body):
        return [source]
    return [_text_of(statement, source) for statement in body]


def _text_of(statement: ast.stmt, source: str) -> str:
    """As it was typed: `ast.unparse` reads a module from disk (3.15), and descriptors may have run out."""
    text = None if getattr(statement, "decorator_list", None) else ast.get_source_segment(source, statement)
    return text or ast.unparse(statement)
