"""The messages between a crashed process and whoever attaches: one JSON object a line.

In: bytes. Out: dicts. Always true: a line is at most LONGEST bytes, it is a JSON object with a `type`, and whatever
else comes is `Malformed`; nothing that is received is ever evaluated here.

Version 1. From the client: `hello` (v, want: "facts" or "console", take: true to put another console out), then `line`
(text), `complete` (text, line, begin, end), `interrupt`, `detach`. From the process: `facts` (what `daifu-bc ps --json`
prints), or `welcome` (facts) / `refused` (reason), then `output` (text), `prompt` (text), `completions` (words), and
last `released` (restart, more: crashes that still wait in this process), `detached`, `taken` or `expired`.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any, Final

VERSION: Final = 1
LONGEST: Final = 256 * 1024  # bytes of a line
SECONDS: Final = 5.0  # that a message may take
Message = dict[str, Any]


class Malformed(Exception):
    """What came is no message."""


class Decoder:
    """Bytes as they come, messages as they are complete."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that `data` completes."""
        lines: list[bytearray] = []
        self._rest += data
        if b"\n" in data:
            *lines, self._rest = self._rest.split(b"\n")
        if len(self._rest) > LONGEST:
            raise Malformed("a message is too long")
        return [parse(bytes(line)) for line in lines]


def parse(line: bytes) -> Message:
    """The message on a line."""
    if len(line) > LONGEST:
        raise Malformed("a message is too long")
    try:
        found = json.loads(line.decode())
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise Malformed(f"a message is no JSON: {type(error).__name__}") from None
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise Malformed("a message is an object with a type")
    return found


def build(message: Message) -> bytes:
    """`message` on a line."""
    return json.dumps(message).encode() + b"\n"


def user_of(connection: socket.socket) -> int:
    """The user id at the other end of a Unix socket, as the kernel tells it."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(user)


def limit(connection: socket.socket, option: int, seconds: float) -> None:
    """Let the kernel give up sending (SO_SNDTIMEO, connecting too) or receiving (SO_RCVTIMEO) after so long; 0: never.

    (A time-out of Python's makes the socket non-blocking: connecting then fails at once where many want to.)
    """
    connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(seconds), 0))
