"""One conversation with a crashed process, from the side of whoever attaches.

In: a connection. Out: messages, lines sent. Always true: what the process prints cannot make this side do anything but
print it.
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator
from typing import Any

from daifu_bc.remote.find import NotThere, Place, connect
from daifu_bc.remote.wire import VERSION, Decoder, Message, build, limit

LAST = ("released", "detached", "taken", "expired", "refused")


class Client:
    """An attached console."""

    def __init__(self, place: Place, *, take: bool = False, colours: bool = False) -> None:
        try:
            self._connection = connect(place)
        except OSError as error:
            raise NotThere(f"process {place} cannot be attached to: {error.strerror or error}") from None
        limit(self._connection, socket.SO_RCVTIMEO, 0)
        self._decoder = Decoder()
        self._come: list[Message] = []
        columns = shutil.get_terminal_size().columns
        self.send("hello", v=VERSION, want="console", take=take, colours=colours, columns=columns)

    def send(self, kind: str, **more: Any) -> None:
        """Say something; a process that is gone is noticed when its answer is read."""
        try:
            self._connection.sendall(build({"type": kind, **more}))
        except OSError:
            return

    def receive(self) -> Message | None:
        """The next message; None once the process has closed the conversation."""
        while not self._come:
            try:
                data = self._connection.recv(65536)
            except OSError:
                return None
            if not data:
                return None
            self._come += self._decoder.feed(data)
        return self._come.pop(0)

    def messages(self) -> Iterator[Message]:
        """All messages up to the last one."""
        while (message := self.receive()) is not None:
            yield message
            if message["type"] in LAST:
                return

    def fileno(self) -> int:
        return self._connection.fileno()

    def close(self) -> None:
        self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def ending(message: Message | None) -> tuple[int, str]:
    """Exit status and words for how a conversation ended."""
    match message:
        case {"type": "released", "restart": restart}:
            return 0, f"released: {restart}"
        case {"type": "detached"}:
            return 0, "detached: the crash waits on"
        case {"type": "taken"}:
            return 1, "another console has taken over"
        case {"type": "expired"}:
            return 1, "the crash does not wait any longer"
        case {"type": "refused", "reason": reason}:
            return 1, f"refused: {reason}"
    return 1, "the process is gone"


def show(text: object) -> None:
    """Print what the process printed."""
    sys.stdout.write(str(text))
    sys.stdout.flush()
