"""Commands that tell what is known of the crash, and help; with them the console is complete.

In: what is typed. Out: words. Always true: a command is one `do_x` whose docstring is its help; nothing but
`finished drop N` changes anything.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from daifu_bc.console import reports
from daifu_bc.console.banner import banner, choice_lines, loop_lines
from daifu_bc.console.deciding import DECIDING
from daifu_bc.console.editing import EDITING, Editing
from daifu_bc.console.interrupts import Interrupts
from daifu_bc.console.pdb_commands import PdbCommands
from daifu_bc.console.terminal import FarLines, Streams
from daifu_bc.console.view import CrashLike

TELLING = ("restarts", "finished", "loops", "recoveries")
LEAVING = ("detach",)
OURS = (*DECIDING, *TELLING, *EDITING, *LEAVING)


class Console(Editing):
    """The console at a crash."""

    def __init__(
        self,
        crash: CrashLike,
        streams: Streams,
        state: Interrupts,
        recoveries: Callable[[], Iterable[object]] | None = None,
        first: str = "",
    ) -> None:
        super().__init__(crash, streams, state)
        self._recoveries = recoveries
        self._first = first

    def show_banner(self) -> None:
        index = self.crash.frame
        offered = self.number(index)
        self.message("")  # a progress bar may stand on this line
        self.paint(banner(self.crash, index, offered, self.width))
        if self._first:
            self.error(self._first)

    def list_restarts(self, index: int) -> None:
        offered = self.number(index)
        self.message(f"in {self.crash.frames[index].function}:")
        self.paint(choice_lines(self.crash, index, offered, self.width))

    def do_restarts(self, arg: str) -> None:
        """restarts

        List what is possible in the selected frame. A number picks one.
        """
        index = self.frame_index()
        if index is not None:
            self.list_restarts(index)

    def do_finished(self, arg: str) -> None:
        """finished [drop N]

        List the finished calls of the failing statement whose results `retry` keeps. One that is dropped is
        evaluated again. To put another result in: $_crash.finished[N].result = ...
        """
        index = self.frame_index()
        if index is None:
            return
        finished = self.crash.frames[index].finished
        command, _, number = arg.partition(" ")
        if not arg:
            self.message(reports.finished_text(finished, self.width))
        elif command != "drop" or not number.strip().isdecimal() or int(number) >= len(finished):
            self.error("usage: finished [drop N], N a number that `finished` shows")
        else:
            self.lastcmd = ""
            self.message(f"evaluated again: {finished[int(number)].source}")
            del finished[int(number)]

    def do_loops(self, arg: str) -> None:
        """loops

        List the loops around the crash, innermost first: how far they are, what became of their iterators.
        """
        index = self.frame_index()
        if index is not None:
            lines = loop_lines(self.crash.frames[index], self.width)
            self.paint(lines or [[("no loop is around the crash in this frame", "dim")]])

    def do_recoveries(self, arg: str) -> None:
        """recoveries

        List what was recovered in this process so far.
        """
        self.message(reports.recoveries_text(self._recoveries, self.width))

    def do_detach(self, arg: str) -> bool:
        """detach

        Leave the console; the crash waits on, and `daifu-bc attach` comes back to it.
        """
        self.lastcmd = ""
        if not isinstance(self.stdin, FarLines):
            self.error("detach leaves an attached console (daifu-bc attach); this one is the process's own")
            return False
        self.stdin.let_client_go()
        return self.take(None)

    def do_help(self, arg: str) -> bool | None:
        if arg:
            return super().do_help(arg.replace("-", "_"))
        self.message("How to go on (a number of `restarts` picks):")
        self._summaries(DECIDING)
        self.message("To change the code and go on in it:")
        self._summaries(EDITING)
        self.message("What is known of the crash:")
        self._summaries(TELLING)
        self.message("To leave an attached console:")
        self._summaries(LEAVING)
        self.message("Everything else is Python, run where the crash is: x = 3, del x, model.train()\n")
        ours = {name.replace("-", "_") for name in OURS}
        theirs = [name[3:] for name in self.get_names() if name.startswith("do_") and name[3:] not in ours]
        self.print_topics("Commands of pdb (help NAME tells more):", sorted(theirs), 15, self.width)
        return None

    do_help.__doc__ = PdbCommands.do_help.__doc__
    do_h = do_help

    def _summaries(self, names: Iterable[str]) -> None:
        for name in names:
            command = getattr(self, "do_" + name.replace("-", "_"))
            usage, _, rest = (inspect.getdoc(command) or name).partition("\n")
            sentence = " ".join(rest.split()).partition(". ")[0].rstrip(".")
            self.message(f"  {usage:<24}{sentence}")
        self.message("")

    def parseline(self, line: str) -> tuple[str | None, str | None, str]:
        """As in cmd; `next-iteration` is one word."""
        head, _, rest = line.strip().partition(" ")
        if head == "next-iteration":
            return "next_iteration", rest.strip(), line.strip()
        return super().parseline(line)

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        found: list[str] = super().completenames(text.replace("-", "_"), *ignored)
        return [name.replace("next_iteration", "next-iteration") for name in found]

    complete_use = complete_return = complete_r = PdbCommands.complete_p
