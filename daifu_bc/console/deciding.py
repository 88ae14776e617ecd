"""Commands that decide: restarts in the selected frame.

In: what is typed. Out: a decision. Always true: a command is one `do_x` whose docstring is its help; a
restart is taken only when the crash says that it is possible; a run is left to die only on `abort` or after a
question.
"""

from __future__ import annotations

from collections.abc import Callable

from daifu_bc.console.choices import Choice, choices, default, placed, refusal
from daifu_bc.console.frames import view_of
from daifu_bc.console.interrupts import Interrupts
from daifu_bc.console.pdb_commands import PdbCommands
from daifu_bc.console.terminal import Streams, is_terminal
from daifu_bc.console.view import CrashLike
from daifu_bc.restarts.restarts import Abort, Jump, NextIteration, Redo, Restart, Retry, Return, Skip, Use

DECIDING = ("retry", "redo", "skip", "next-iteration", "use", "return", "jump", "continue", "abort", "quit")


class Deciding(PdbCommands):
    """The commands that end the prompt."""

    def __init__(self, crash: CrashLike, streams: Streams, state: Interrupts) -> None:
        super().__init__(crash, streams, state)
        self._listed: tuple[int, list[Choice]] | None = None  # frame index and what was numbered last

    def number(self, index: int) -> list[Choice]:
        """What is offered in frame number `index`; from now on a bare number picks among it."""
        offered = choices(self.crash, index)
        self._listed = index, [choice for choice in offered if choice.refused is None]
        return offered

    def list_restarts(self, index: int) -> None:
        """Print what is possible in frame number `index`, numbered."""
        raise NotImplementedError

    def frame_index(self) -> int | None:
        """The selected frame's number in `crash.frames`; None, with a message, if it is not protected."""
        view = view_of(self.curframe)
        if view is not None:
            return view.index
        self.error(f"this frame is not protected, no restart applies to it; {self._nearest()}")
        return None

    def _nearest(self) -> str:
        protected = [n for n, (frame, _) in enumerate(self.stack) if view_of(frame) is not None]
        distances = [n - self.curindex for n in protected]
        if not distances:
            return "`exceptions` leads back to the stack that is alive"
        distance = min(distances, key=abs)
        view = self.stack[self.curindex + distance][0]
        command = f"{'u' if distance < 0 else 'd'} {abs(distance)}"
        return f"`{command}` selects the nearest one, {view.f_code.co_name}"

    def _decide(self, restart: Restart, command: str) -> bool:
        """Take `restart` in the selected frame, if it is possible."""
        self.lastcmd = ""  # a blank line does not ask for it again
        index = self.frame_index()
        if index is None:
            return False
        decision = placed(self.crash, index, restart)
        reason = refusal(self.crash, decision)
        if reason is not None:
            self.error(f"{command} is not possible here: {reason}")
            return False
        return self.take(decision)

    def _plain(self, arg: str, restart: Restart, command: str) -> bool:
        if arg:
            self.lastcmd = ""
            self.error(f"{command} takes nothing: {command} {arg}")
            return False
        return self._decide(restart, command)

    def do_retry(self, arg: str) -> bool:
        """retry

        Go on at the failing instruction. Finished calls are kept, names are read afresh.
        """
        return self._plain(arg, Retry(), "retry")

    def do_redo(self, arg: str) -> bool:
        """redo

        Go on at the start of the failing statement. What it had finished runs again.
        """
        return self._plain(arg, Redo(), "redo")

    def do_skip(self, arg: str) -> bool:
        """skip

        Go on after the failing statement.
        """
        return self._plain(arg, Skip(), "skip")

    def do_next_iteration(self, arg: str) -> bool:
        """next-iteration [loop]

        Give this item up and go on with the next one. `loop` counts outwards from 0, as `loops` lists them.
        """
        if arg and not arg.isdecimal():
            self.error("usage: next-iteration [loop], a number that `loops` shows")
            return False
        return self._decide(NextIteration(int(arg or 0)), f"next-iteration {arg}".rstrip())

    def do_use(self, arg: str) -> bool:
        """use EXPR

        Go on after the failing instruction with EXPR, evaluated in the selected frame, as its result.
        """
        return self._with_value("use", arg, Use)

    def do_return(self, arg: str) -> bool:
        """return EXPR

        Leave the selected frame with EXPR as its result. `return` and `r` alone only explain this.
        """
        if not arg:
            return self._lead_to("to run until a return", "`return EXPR` leaves the frame with that value")
        return self._with_value("return", arg, Return)

    do_r = do_return

    def _with_value(self, command: str, arg: str, make: Callable[[object], Restart]) -> bool:
        self.lastcmd = ""
        if self.frame_index() is None:
            return False
        if not arg:
            self.error(f"usage: {command} EXPR")
            return False
        try:
            value = self._getval(arg)
        except BaseException:  # it has been shown
            return False
        return self._decide(make(value), command)

    def do_jump(self, arg: str) -> bool:
        """j(ump) lineno

        Go on at this line of the selected frame's file: a statement of the same or of an outer block.
        """
        if not arg.isdecimal():
            self.error("usage: jump LINE")
            return False
        return self._decide(Jump(int(arg)), f"jump {arg}")

    do_j = do_jump

    def do_continue(self, arg: str) -> bool:
        """c(ont(inue))

        Take the default restart of the selected frame, which the banner and `restarts` name.
        """
        self.lastcmd = ""
        if arg:
            self.error(f"continue takes nothing: continue {arg}")
            return False
        index = self.frame_index()
        if index is None:
            return False
        restart = default(self.crash, index)
        return self._let_die() if isinstance(restart, Abort) else self.take(restart)

    do_c = do_cont = do_continue

    def do_abort(self, arg: str) -> bool:
        """abort

        Let the exception go on as if daifu_bc were not there, without a question.
        """
        if arg:
            self.error(f"abort takes nothing: abort {arg}")
            return False
        return self.take(Abort())

    def do_quit(self, arg: str) -> bool:
        """q(uit) | exit

        Let the exception go on, after a question. The end of the input (Ctrl-D) is the same; twice is a yes.
        """
        return self._let_die()

    do_q = do_exit = do_quit

    def do_EOF(self, arg: str) -> bool:
        """EOF

        The end of the input (Ctrl-D): as `quit`.
        """
        self.message("")
        return self._let_die()

    def _let_die(self) -> bool:
        self.lastcmd = ""
        name = type(self.crash.exception).__name__ if self.crash.exception is not None else "nothing"
        answer = self.read(f"Let the run go on with {name}, which ends it unless it is handled? [y/N] ")
        if answer is None:
            self.message("")
            gone = self.streams.terminal and not is_terminal(self.streams.stdin)
            return self.take(None if gone else Abort())  # nobody is here any more: the next decider is asked
        if answer.strip().lower() in ("y", "yes"):
            return self.take(Abort())
        self.message("still here: `restarts` lists what is possible")
        return False

    def pick(self, number: int) -> bool:
        """Take the restart with this number in the list that was shown last."""
        index = self.frame_index()
        if index is None:
            return False
        if self._listed is None or self._listed[0] != index:
            self.list_restarts(index)
            self.error("the numbers belonged to another frame; these are the selected one's, pick again")
            return False
        offered = self._listed[1]
        if not 1 <= number <= len(offered):
            self.error(f"there is no number {number}: `restarts` lists them; `!{number}` is the expression")
            return False
        return self._pick(offered[number - 1])

    def _pick(self, choice: Choice) -> bool:
        if isinstance(choice.restart, Abort):
            return self._let_die()
        if not choice.needs:
            return self._decide(choice.restart, choice.command)
        answer = self.read(f"{choice.usage}: ")
        return bool(answer and answer.strip()) and self.onecmd(f"{choice.command} {answer}")
