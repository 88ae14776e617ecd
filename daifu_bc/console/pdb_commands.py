"""pdb's commands that need something else at a crash; all others are pdb's own.

Always true: every pdb command exists and keeps its name. Those which step a traced program explain in one
line what to use instead, since no tracing goes on at a crash; breakpoints are kept by pdb and stop in `debug
CODE`.
"""

from __future__ import annotations

import io
import pdb  # noqa: T100  # what `debug` starts
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from daifu_bc.console.evaluate import Evaluating
from daifu_bc.console.values import one_line


class PdbCommands(Evaluating):
    """pdb's commands at a crash."""

    def _lead_to(self, what: str, instead: str) -> bool:
        self.lastcmd = ""
        self.error(f"{what} cannot be done at a crash: {instead}")
        return False

    def do_next(self, arg: str) -> bool:
        """n(ext)

        Steps a traced program; at a crash use `retry` or `skip`.
        """
        return self._lead_to("to step", "`retry` goes on here, `skip` after it, `jump LINE` elsewhere")

    do_n = do_next

    def do_step(self, arg: str) -> bool:
        """s(tep)

        Steps a traced program; at a crash use `retry`, or `debug EXPR` to step through a call.
        """
        return self._lead_to("to step", "`retry` goes on here; `debug EXPR` steps through a call of your own")

    do_s = do_step

    def do_until(self, arg: str) -> bool:
        """unt(il) [lineno]

        Steps a traced program; at a crash use `jump LINE`.
        """
        return self._lead_to("to run until a line", "`retry` goes on here, `jump LINE` at another line")

    do_unt = do_until

    def do_run(self, arg: str) -> bool:
        """run [args...]

        Starts a program anew under pdb; at a crash the run goes on instead: see `restarts`.
        """
        return self._lead_to("to start the program anew", "`restarts` lists how this run can go on")

    do_restart = do_run

    def do_break(self, arg: str, temporary: Any = False) -> bool | None:
        stop = super().do_break(arg, temporary)
        if arg:
            self.message("(breakpoints stop in `debug CODE` here, not in the resumed run)")
        return stop

    do_break.__doc__ = Evaluating.do_break.__doc__
    do_b = do_break

    def do_debug(self, arg: str) -> bool | None:
        before = sys.gettrace()
        with _sigint_kept(), self.living.as_dict(self.curframe):
            self._select_again()
            try:
                return super().do_debug(arg)
            finally:
                sys.settrace(before)  # at once: pdb has set itself, and would stop in the next call
                self._select_again()

    do_debug.__doc__ = Evaluating.do_debug.__doc__

    def _create_recursive_debugger(self) -> pdb.Pdb:
        # 3.15 asks for the debugger that `debug` starts: with the editor of this prompt, as in Prompt.__init__
        debugger = pdb.Pdb(self.completekey, io.StringIO(), self.streams.stdout)
        debugger.stdin = self.streams.stdin
        debugger.use_rawinput = self.use_rawinput
        return debugger

    def _select_again(self) -> None:
        """Where pdb keeps the selected frame's variables beside the frame (before 3.14), take them anew."""
        if self.curframe is not None and "curframe_locals" in vars(self):
            self.curframe_locals = self.curframe.f_locals

    def do_interact(self, arg: str) -> bool | None:
        self.message("(names that are assigned in `interact` do not reach the run; at the prompt they do)")
        return super().do_interact(arg)

    do_interact.__doc__ = Evaluating.do_interact.__doc__

    def do_exceptions(self, arg: str) -> bool | None:
        """exceptions [number]

        List the exceptions that led to this one, or go to one of them by its number.
        """
        chain = _chain(self.crash.exception)
        if not arg:
            self._list_exceptions(chain)
        elif not arg.isdecimal() or int(arg) >= len(chain):
            self.error("No exception with that number" if arg.isdecimal() else "Argument must be an integer")
        elif chain[int(arg)].__traceback__ is None:
            self.error("This exception does not have a traceback, cannot jump to it")
        else:
            self._exception_index = int(arg)
            self.setup(None, chain[int(arg)].__traceback__)
            self.set_convenience_variable(self.stack[self.curindex][0], "_exception", chain[int(arg)])
            self.print_stack_entry(self.stack[self.curindex])
        return None

    _exception_index: int | None = None

    def _list_exceptions(self, chain: list[BaseException]) -> None:
        current = len(chain) - 1 if self._exception_index is None else self._exception_index
        for number, exception in enumerate(chain):
            mark = ">" if number == current else " "
            name = "  -" if exception.__traceback__ is None else f"{number:>3}"
            self.message(f"{mark} {name} {one_line(self._safe_repr(exception, 'exception'), 80)}")  # type: ignore[attr-defined]


@contextmanager
def _sigint_kept() -> Iterator[None]:
    """`continue` in pdb leaves a handler of SIGINT behind, and a note for the next pdb to install what was before."""
    handler, noted = signal.getsignal(signal.SIGINT), pdb.Pdb._previous_sigint_handler  # type: ignore[attr-defined]
    try:
        yield
    finally:
        pdb.Pdb._previous_sigint_handler = noted  # type: ignore[attr-defined]
        if signal.getsignal(signal.SIGINT) is not handler:
            signal.signal(signal.SIGINT, handler)


def _chain(exception: BaseException | None) -> list[BaseException]:
    """The exception and what it came from, as a traceback shows it; oldest first."""
    found: list[BaseException] = []
    while exception is not None and not any(exception is other for other in found):
        found.append(exception)
        hidden = exception.__suppress_context__
        exception = exception.__cause__ or (None if hidden else exception.__context__)
    return found[::-1]
