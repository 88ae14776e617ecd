"""The prompt: pdb's loop over the stack of a crash instead of a traced program.

In: a crash and streams. Out: `decide()`, the decision. Always true: an exception in a command is shown and
does not leave the prompt; Ctrl-C leads back to it; no trace function is set; a blank line never takes a
restart; after `close()` nothing of the crash is referred to.
"""

from __future__ import annotations

import ast
import io
import linecache
import pdb  # noqa: T100  # the base class, no forgotten breakpoint
from types import FrameType, TracebackType
from typing import Any

from daifu_bc.console.banner import Line
from daifu_bc.console.frames import Entry, Stack, real_frame, view_of
from daifu_bc.console.interrupts import KEY, Interrupts, handlers_kept
from daifu_bc.console.paint import paint, width_of, write
from daifu_bc.console.terminal import FarLines, Streams
from daifu_bc.console.view import CrashLike, FrameLike
from daifu_bc.restarts.restarts import Restart

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
CONVENIENCE = "__pdb_convenience_variables"  # what pdb makes of $name
UNMANGLED = CONVENIENCE + "__"  # the same where a class would mangle the name
INITIAL: list[str] = []  # typed at each prompt first: `daifu-bc run -c COMMAND`
_FAILURES = 20  # in a row, of reading a line, until nobody seems to be there


class Prompt(pdb.Pdb):
    """pdb at a crash; the commands that decide are added by subclasses."""

    def __init__(self, crash: CrashLike, streams: Streams, state: Interrupts) -> None:
        # pdb's own editor (3.15) wants the main thread, and its import leaves a handler of SIGCONT behind that can
        # only fail in the resumed run. It gives up over a stdin like this.
        with handlers_kept():
            super().__init__(stdin=io.StringIO(), stdout=streams.stdout, readrc=streams.terminal)
        self.stdin = streams.stdin
        self.use_rawinput = streams.terminal
        self.monitoring_tracer = None  # `debug` traces with sys.settrace, which is put back
        self.prompt = "(daifu) "
        self.botframe = None
        self._set_stopinfo(None, None)  # type: ignore[attr-defined]  # of bdb; its reset() drops cached source, too
        self.crash = crash
        self.streams = streams
        self.living = Stack(crash)
        self.decision: Restart | None = None
        self.decided = False
        self.begun = self.in_rc = False
        self.rc_lines: list[str] = []
        self.curframe: FrameType | None = None
        self._interrupts = state
        self._used_globals: dict[int, dict[str, Any]] = {}
        if isinstance(self.stdin, FarLines):
            self.stdin.enter_prompt(self.completions)

    # The loop

    def decide(self) -> Restart | None:
        """Ask until there is a decision; None if the terminal is gone."""
        interrupted, failures = False, 0
        while not self.decided and failures < _FAILURES:
            try:
                try:
                    self._interrupts.armed = True
                    if interrupted:
                        self.message("--KeyboardInterrupt--")
                        interrupted = False
                    self._begin()
                    self.cmdloop()
                finally:
                    self._interrupts.armed = False
            except KeyboardInterrupt:
                interrupted = True
            except UnicodeDecodeError as error:  # what was typed is no text
                self.error(str(error))
                failures += 1
            except (OSError, ValueError):  # the terminal is gone or closed
                return None
        return self.decision

    def _begin(self) -> None:
        """Once: pdb's set-up, the banner, .pdbrc."""
        if self.curframe is None:
            self.rc_lines, self.rcLines = self.rcLines, []
            self.setup(self.living.presented, self.living.traceback)
        if not self.begun:
            self.begun = True
            self.show_banner()
            self._run_rc()
            self.cmdqueue += INITIAL

    def _run_rc(self) -> None:
        self.cmdqueue = [line for line in self.rc_lines if line.strip() and not line.strip().startswith("#")]
        self.in_rc = True
        try:
            while self.cmdqueue:
                self.onecmd(self.precmd(self.cmdqueue.pop(0)))
        finally:
            self.in_rc = False

    def show_banner(self) -> None:
        """What is shown first."""
        raise NotImplementedError

    def take(self, restart: Restart | None) -> bool:
        """End the prompt with this decision."""
        if self.in_rc:
            self.error("a restart in .pdbrc is not taken")
            return False
        self.decision, self.decided = restart, True
        return True

    def close(self) -> None:
        """Let go of the crash and of what was put into modules for it."""
        if isinstance(self.stdin, FarLines):
            self.stdin.leave_prompt()
        for namespace in self._used_globals.values():
            namespace.pop(CONVENIENCE, None)
            namespace.pop(UNMANGLED, None)
        self._used_globals.clear()
        self.forget()
        del self.crash, self.living

    def completions(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """The words that can stand for `text`, which is `line[begin:end]`: as in cmd, which asks readline."""
        stripped = len(line) - len(line.lstrip())
        line, begin, end = line.lstrip(), begin - stripped, end - stripped
        if begin <= 0:
            return self.completenames(text, line, begin, end)
        command = self.parseline(line)[0]
        complete = getattr(self, f"complete_{command}", None) if command else None
        return list((complete or self.completedefault)(text, line, begin, end) or [])

    # Where we are

    @property
    def selected(self) -> FrameLike | None:
        """The selected frame, if restarts apply to it."""
        view = view_of(self.curframe)
        return None if view is None else view.frame

    def get_stack(self, f: FrameType | None, t: TracebackType | None) -> tuple[list[Entry], int]:
        """The stack of the crash, or of another exception of its chain."""
        if f is None and t is not self.living.traceback:
            entries, _ = super().get_stack(f, t)
            entries = self.living.seen(entries)
            return entries, max(len(entries) - 1, 0)
        entries = self.living.entries()
        return entries, next(n for n, (frame, _) in enumerate(entries) if frame is self.living.presented)

    def set_convenience_variable(self, frame: FrameType, name: str, value: Any) -> None:
        """`$_frame`, `$_exception` and `$_crash` in the module of the selected frame."""
        namespace = frame.f_globals
        if CONVENIENCE not in namespace:
            self._used_globals[id(namespace)] = namespace
        values = namespace[UNMANGLED] = namespace.setdefault(CONVENIENCE, {})
        values.setdefault("_exception", self.crash.exception)
        values["_crash"] = self.crash
        values[name] = value if view_of(value) is None else real_frame(value)

    def format_stack_entry(self, frame_lineno: Entry, lprefix: str = ": ") -> str:
        """One frame for `w`, `u` and `d`; does not read its variables."""
        frame, lineno = frame_lineno
        filename = self.canonic(frame.f_code.co_filename)
        text = f"{filename}({lineno}){frame.f_code.co_name or '<lambda>'}()"
        if view_of(frame) is not None:
            text += "  [protected]"
        line = linecache.getline(filename, lineno, frame.f_globals).strip()
        return f"{text}{lprefix}{line}" if line else text

    def _getsourcelines(self, obj: Any) -> Any:
        return super()._getsourcelines(obj if view_of(obj) is None else real_frame(obj))  # type: ignore[misc]

    # Talking

    def message(self, msg: object, end: str = "\n") -> None:
        """Print a line."""
        write(f"{msg}{end}", self.stdout)  # type: ignore[arg-type]  # typeshed: IO[str]

    def error(self, msg: object) -> None:
        """Print a line about something that did not work."""
        self.message(f"*** {msg}")

    def show_error(self) -> None:
        """Print the exception that is being handled, in pdb's way."""
        self._error_exc()  # type: ignore[attr-defined]  # of pdb, on all versions

    def paint(self, lines: list[Line]) -> None:
        """Print lines in colour."""
        paint(lines, self.streams.stdout)

    @property
    def width(self) -> int:
        """Columns that can be used."""
        return width_of(self.streams.stdout)

    def read(self, prompt: str) -> str | None:
        """Ask for one line; None at the end of the input."""
        if self.use_rawinput:
            try:
                line = input(prompt)
            except EOFError:
                return None
        else:
            write(prompt, self.streams.stdout)
            line = self.stdin.readline()
            if not line:
                return None
        if KEY in line:  # Ctrl-C where it is no signal
            raise KeyboardInterrupt
        return line.rstrip("\r\n")

    # Commands

    def precmd(self, line: str) -> str:
        """Aliases and `;;`, as in pdb."""
        if KEY in line:
            raise KeyboardInterrupt
        try:
            return super().precmd(line)
        except Exception:  # a tokenizer's complaint about half a string
            self.show_error()
            return "!"

    def onecmd(self, line: str) -> bool:
        """One command. Catches everything: whatever what is typed raises, the run must not die of it."""
        try:
            return bool(self._dispatch(line))
        except KeyboardInterrupt:
            raise
        except BaseException:  # the code that is typed may raise anything, SystemExit included
            self.show_error()
            return False

    def _dispatch(self, line: str) -> object:
        text = line.strip()
        if self.commands_defining:
            return super().onecmd(line)
        if text.isdecimal():
            self.lastcmd = ""
            return self.pick(int(text))
        if _is_assignment(text):  # `n = 10`: pdb takes it for the command n, who types it means the variable
            self.default(text)
            return False
        return super().onecmd(line)

    def pick(self, number: int) -> bool:
        """A bare number was typed."""
        raise NotImplementedError


def _is_assignment(text: str) -> bool:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(body) and isinstance(body[0], _ASSIGNMENTS)
