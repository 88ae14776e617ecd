"""Connections over the network, only where `listen` asks for them: each end proves that it has the key.

In: `host:port`, the key. Out: connected sockets whose other end has the key. Always true: nothing that comes from an
end that has not proved it is looked at but as an answer to a challenge, of bounded length, by a deadline.

The challenges are those of `multiprocessing.connection`, both ways. What is said afterwards is not encrypted.
"""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any, Final, cast

from daifu_bc.remote.key import read_key
from daifu_bc.remote.wire import SECONDS, limit

_LENGTH: Final = struct.Struct("!i")
Refused = (OSError, AuthenticationError)


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Far:
    """A crashed process on the network, and the file of the key that it wants."""

    address: Address
    key: Path

    def __str__(self) -> str:
        return str(self.address)

    def connect(self) -> socket.socket:
        """A connection to it. Raises OSError."""
        key = read_key(self.key)
        try:
            connection = socket.create_connection((self.address.host, self.address.port), SECONDS)
        except UnicodeError:
            raise OSError(f"{self.address.host!r} is no name of a host") from None
        try:
            prove(connection, key)
        except AuthenticationError:
            connection.close()
            raise PermissionError(f"the key in {self.key} is not the one of {self.address}") from None
        except BaseException:
            connection.close()
            raise
        return connection


def parse_address(text: str) -> Address | None:
    """`host:port`, `[v6 address]:port`; None for anything else."""
    host, _, port = text.strip().rpartition(":")
    inner = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    is_port = port.isascii() and port.isdecimal() and int(port) < 65536
    if not inner or not is_port or (":" in inner and inner == host) or set(inner) & set("/[] \t"):
        return None
    return Address(inner, int(port))


def open_listener(text: str) -> socket.socket:
    """Listen where the setting says. Raises OSError."""
    address = parse_address(text)
    if address is None:
        raise OSError(f"host:port is wanted, not {text!r}")
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, place = found[0]
    listener = socket.create_server(place[:2], family=family, backlog=64)
    listener.setblocking(False)
    return listener


def address_of(listener: socket.socket) -> Address:
    """How others reach it; a host that means all of this machine's is called by its name."""
    host, port = listener.getsockname()[:2]
    return Address(socket.gethostname() if host in ("0.0.0.0", "::") else host, port)


def challenge(connection: socket.socket, key: bytes) -> None:
    """In the crashed process: the other end proves first. Raises what `Refused` names."""
    framed = cast(Any, _Framed(connection))
    deliver_challenge(framed, key)
    answer_challenge(framed, key)
    _settle(connection)


def prove(connection: socket.socket, key: bytes) -> None:
    """At the end of whoever attaches. Raises what `Refused` names."""
    framed = cast(Any, _Framed(connection))
    answer_challenge(framed, key)
    deliver_challenge(framed, key)
    _settle(connection)


def _settle(connection: socket.socket) -> None:
    """From now on as a Unix socket; the other machine's end is noticed."""
    connection.settimeout(None)
    limit(connection, socket.SO_SNDTIMEO, SECONDS)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Framed:
    """What `multiprocessing.connection` sends its challenges over: bytes behind their length, all by one deadline."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._end = time.monotonic() + SECONDS

    def send_bytes(self, data: bytes) -> None:
        self._limit()
        self._connection.sendall(_LENGTH.pack(len(data)) + data)

    def recv_bytes(self, longest: int) -> bytes:
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if not 0 <= length <= longest:
            raise ConnectionError("no answer to a challenge")
        return self._read(length)

    def _read(self, length: int) -> bytes:
        found = b""
        while len(found) < length:
            self._limit()
            data = self._connection.recv(length - len(found))
            if not data:
                raise ConnectionError("it has closed the connection")
            found += data
        return found

    def _limit(self) -> None:
        self._connection.settimeout(max(self._end - time.monotonic(), 0.001))
