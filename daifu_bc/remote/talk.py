"""One attached console, as the crashed thread sees it: a file to read lines from and one to write to.

In: messages of the client, put here by the post's thread. Out: lines, and messages sent. Always true: a client that is
gone, stalls or is put out is an OSError in the crashed thread, which leaves the prompt and waits on; an interrupt
reaches the crashed thread only while it runs what the client typed.
"""

from __future__ import annotations

import contextlib
import io
import queue
import signal
import socket
import threading
from collections.abc import Callable
from typing import Any, Final

from daifu_bc.console.interrupts import KEY, Interrupts
from daifu_bc.remote.wire import LONGEST, Message, build

Completer = Callable[[str, str, int, int], list[str]]
_MOST_WAITING: Final = 1000  # messages of a client that the prompt has not come to yet
_PIECE: Final = LONGEST // 8  # characters of output in a message, each of which may need six bytes


class Gone(OSError):
    """Nobody is at the other end any more."""


class Talk:
    """The conversation with one client."""

    def __init__(self, connection: socket.socket, hello: Message, patience: float) -> None:
        self.connection = connection
        self.columns = _columns(hello.get("columns"))
        self.colours = hello.get("colours") is True
        self.open = True
        self.before: Talk | None = None  # whoever has gone may have left something running
        self.orphan = False  # no post reads it, and none will close it
        self._patience = patience  # seconds that the prompt waits for a line
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._runs = False  # what was typed is running, in the main thread

    # Called by the post's thread.

    def deliver(self, message: Message) -> None:
        """Something came from the client."""
        if message["type"] == "interrupt" and self._interrupt():
            return
        if self._inbox.qsize() > _MOST_WAITING:
            self.end("detached")
        else:
            self._inbox.put(message)

    def _interrupt(self) -> bool:
        """Is it taken care of? At the prompt it is a message like others."""
        with self._lock:
            if not self._runs:
                return self.before is not None and self.before._interrupt()
            handler = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
            if isinstance(handler, Interrupts):
                signal.pthread_kill(_main_ident(), signal.SIGINT)
            return True

    def end(self, kind: str, **more: Any) -> None:
        """Close it, after a last message; the crashed thread finds it closed."""
        if self.open:
            with contextlib.suppress(OSError):
                self.send({"type": kind, **more})
            self.open = False
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        if self.orphan:
            self.connection.close()
        self._inbox.put(None)

    # Called by the crashed thread.

    def send(self, message: Message) -> None:
        """Raises Gone if it does not get through."""
        if not self.open:
            raise Gone("the console is gone")
        try:
            with self._sending:
                self.connection.sendall(build(message))
        except OSError as error:
            self.open = False
            raise Gone(str(error)) from None

    def receive(self) -> Message:
        """The next message. Raises Gone."""
        try:
            message = self._inbox.get(timeout=self._patience)
        except queue.Empty:
            self.end("expired")
            message = None
        if message is None:
            self.open = False
            raise Gone("the console is gone")
        return message

    def runs(self, yes: bool) -> None:
        """What was typed is (no longer) running."""
        with self._lock:
            self._runs = yes and threading.get_ident() == _main_ident()


class FarOutput(io.TextIOBase):
    """What the console prints; an unfinished line is the prompt's text."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self.has_colours = talk.colours
        self.columns = talk.columns
        self.pending = ""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self.has_colours

    def write(self, text: str, /) -> int:
        whole, newline, self.pending = (self.pending + text).rpartition("\n")
        if not newline:  # a very long line, or nothing yet
            whole, self.pending = (self.pending, "") if len(self.pending) > _PIECE else ("", self.pending)
        text_out = whole + newline
        for start in range(0, len(text_out), _PIECE):
            self._talk.send({"type": "output", "text": text_out[start : start + _PIECE]})
        return len(text)

    def take_pending(self) -> str:
        """The unfinished line."""
        text, self.pending = self.pending, ""
        return text


class FarInput(io.TextIOBase):
    """Lines that the client types."""

    def __init__(self, talk: Talk, output: FarOutput) -> None:
        self._talk = talk
        self._output = output
        self._complete: Completer | None = None

    def enter_prompt(self, complete: Completer) -> None:
        """A prompt reads from here; it knows the words that fit."""
        self._complete = complete

    def leave_prompt(self) -> None:
        """From now on nothing that the client sends interrupts the run."""
        self._complete = None
        self._talk.runs(False)

    def let_client_go(self) -> None:
        """The client goes, the crash stays."""
        self._talk.end("detached")

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # text, as TextIO has it
        self._talk.runs(False)
        self._talk.send({"type": "prompt", "text": self._output.take_pending()})
        while True:
            message = self._talk.receive()
            match message["type"], message.get("text"):
                case "line", str(text):
                    self._talk.runs(True)
                    return text.replace("\n", " ").replace(KEY, "") + "\n"
                case "interrupt", _:
                    return f"{KEY}\n"
                case "complete", str(text):
                    self._talk.send({"type": "completions", "words": self._words(text, message)})
                case "detach", _:
                    self.let_client_go()

    def _words(self, text: str, message: Message) -> list[str]:
        line, begin, end = message.get("line"), message.get("begin"), message.get("end")
        if self._complete is None or not (isinstance(line, str) and isinstance(begin, int) and isinstance(end, int)):
            return []
        try:
            return [str(word) for word in self._complete(text, line, begin, end)[:500]]
        except Exception:  # completing looks at the program's objects, which may raise anything
            return []


def _main_ident() -> int:
    return threading.main_thread().ident or 0


def _columns(found: object) -> int:
    return min(found, 1000) if isinstance(found, int) and found > 0 else 80
