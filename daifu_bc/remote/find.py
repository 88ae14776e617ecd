"""Which processes wait: asked one by one, all at once.

In: the private folder. Out: the facts of each crash that waits. Always true: a process that does not answer in time is
left out; the socket of one that is gone is taken away; only sockets of this user's are asked.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daifu_bc.remote.folder import folder_path, opened
from daifu_bc.remote.wire import SECONDS, VERSION, Decoder, Malformed, Message, build, limit, user_of

if TYPE_CHECKING:
    from daifu_bc.remote.network import Far

_AT_ONCE = 32
type Place = int | Far  # a process of this machine by its number, or one on the network


class NotThere(Exception):
    """Nothing that could be attached to."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which process is meant: what was typed, or the last one that crashed."""

    words: tuple[str, ...] = ()
    last: bool = False


def crashes() -> list[Message]:
    """The facts of all crashes that wait, oldest first."""
    try:
        with opened(folder_path()) as folder:
            names = [name for name in os.listdir(folder) if name.endswith(".sock") and name[:-5].isdecimal()]
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                found = [row for rows in pool.map(lambda name: _ask(folder, name), names) for row in rows]
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda row: (row.get("since", 0), row.get("pid", 0)))


def connect(place: Place) -> socket.socket:
    """A connection to a process. Raises OSError."""
    if not isinstance(place, int):
        return place.connect()
    with opened(folder_path()) as folder:
        return _connect(f"{folder}/{place}.sock")


def crashes_at(place: Far) -> list[Message]:
    """The facts of the crashes that wait there. Raises NotThere."""
    try:
        with place.connect() as connection:
            limit(connection, socket.SO_RCVTIMEO, SECONDS)
            return _facts(connection)
    except (OSError, Malformed) as error:
        raise NotThere(f"{place}: {getattr(error, 'strerror', None) or error}") from None


def far_of(words: Sequence[str], key: str) -> Far | None:
    """The process on the network that is meant, if one is: `host:port`, and no crash here has that name."""
    from daifu_bc.remote import network  # with the challenges, which take a while to import
    from daifu_bc.remote.key import key_path

    address = network.parse_address(words[0]) if len(words) == 1 else None
    if address is None and key:
        raise NotThere(f"--key is for host:port, not {' '.join(words) or 'all'}")
    if address is None or (not key and matches(Wanted(tuple(words)), crashes())):
        return None
    return network.Far(address, key_path(key))


def choose(wanted: Wanted, found: list[Message]) -> Message:
    """The crash that is meant. Raises NotThere, saying what there is."""
    matching = matches(wanted, found)
    if not matching:
        raise NotThere("no crash waits" + (f" in {' '.join(wanted.words)}" if wanted.words else ""))
    if wanted.last:
        return matching[-1]
    if len({row["pid"] for row in matching}) > 1:
        which = ", ".join(str(row["pid"]) for row in matching[:8]) + (", ..." if len(matching) > 8 else "")
        raise NotThere(f"{len(matching)} crashes wait (processes {which}): name one, or say --last")
    return matching[0]


def matches(wanted: Wanted, found: list[Message]) -> list[Message]:
    """The crashes that the words can mean: a process number, a name, `rank N`; without words all."""
    match wanted.words:
        case ():
            return found
        case ("rank", number):
            return [row for row in found if str(row.get("rank")) == number]
        case (word,):
            return [row for row in found if word in (str(row.get("pid")), row.get("name"), row.get("job"))]
    raise NotThere(f"PID, NAME or rank N is wanted, not {' '.join(wanted.words)}")


def _ask(folder: str, name: str) -> list[dict[str, Any]]:
    try:
        with _connect(f"{folder}/{name}") as connection:
            return _facts(connection)
    except ConnectionRefusedError:
        _take_away(folder, name)
    except (OSError, Malformed):
        pass
    return []


def _facts(connection: socket.socket) -> list[dict[str, Any]]:
    connection.sendall(build({"type": "hello", "v": VERSION, "want": "facts"}))
    rows = _answer(connection).get("crashes", [])
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("pid"), int)]


def _answer(connection: socket.socket) -> Message:
    decoder = Decoder()
    while data := connection.recv(65536):
        for message in decoder.feed(data):
            return message
    raise Malformed("no answer")


def _connect(place: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            limit(connection, option, SECONDS)
        connection.connect(place)
        if user_of(connection) not in (os.geteuid(), 0):
            raise PermissionError("the process belongs to another user")
    except BaseException:
        connection.close()
        raise
    return connection


def _take_away(folder: str, name: str) -> None:
    """Of a process that was killed. (One that has just taken its number listens already.)"""
    if not os.path.exists(f"/proc/{name[:-5]}"):
        with contextlib.suppress(OSError):
            os.unlink(f"{folder}/{name}")
