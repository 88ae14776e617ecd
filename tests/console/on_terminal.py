"""A program on a pseudo-terminal, with somebody typing. For tests; POSIX only."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).parent
DEADLINE = 60.0  # seconds until something that does not come is a failure
PREAMBLE = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import fake_crash, programs
from daifu_bc.console import ask, available
def run(decide=ask):
    return programs.train(fake_crash.crashing(decide))
"""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class OnTerminal:
    """`script`, after PREAMBLE, running on a terminal of its own."""

    def __init__(self, script: str, **environment: str) -> None:
        self.master, slave = pty.openpty()
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + script],
            preexec_fn=lambda: os.login_tty(slave),
            env={"TERM": "xterm", "COLUMNS": "100", **kept, **environment},
            close_fds=True,
            pass_fds=(slave,),
        )
        os.close(slave)
        self.raw = ""
        self._read_to = 0

    def __enter__(self) -> OnTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """The terminal goes away."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    @property
    def text(self) -> str:
        """What was printed so far, without colours."""
        return _COLOURS.sub("", self.raw).replace("\r\n", "\n")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    def wait_for(self, words: str, seconds: float = DEADLINE) -> str:
        """Read until `words` come, after those waited for last; returns what came before them."""
        end = time.monotonic() + seconds
        while words not in self.text[self._read_to :]:
            if not self._read_some(end):
                raise AssertionError(f"{words!r} did not come:\n{self.text}")
        start = self._read_to
        self._read_to = self.text.index(words, start) + len(words)
        return self.text[start : self._read_to]

    def interrupt(self, then: str = "--KeyboardInterrupt--\n(daifu) ") -> None:
        """Press Ctrl-C, wait for what comes then.

        The interpreter looks for signals before it waits for a key: one that comes in between is seen with the next
        one. (The terminal forgets keys that were not read yet: wait until they are shown before interrupting.)
        """
        for _ in range(int(DEADLINE)):
            self.type("\x03")
            try:
                self.wait_for(then, 1.0)
                return
            except AssertionError:
                continue
        self.wait_for(then)

    def say(self, line: str, then: str = "(daifu) ") -> str:
        """Type a line, wait for what comes then."""
        self.type(line + "\n")
        return self.wait_for(then)

    def ended(self) -> int:
        """Read until the program has ended; its exit status."""
        end = time.monotonic() + DEADLINE
        while self._read_some(end):
            pass
        return self.process.wait(DEADLINE)

    def _read_some(self, end: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux says so when the last program on the terminal has ended
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)
