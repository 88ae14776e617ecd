"""The post's door to the network: who comes in has the key.

In: what `listen` says. Out: admitted connections, of which the post is told. Always true: a connection is challenged in
a thread of its own that ends by a deadline; their number is bounded, and apart from that of those admitted, so that
nobody without the key can take a place of somebody who has it; the Unix socket does not depend on any of this.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from typing import Final

from daifu_bc.remote import network
from daifu_bc.remote.key import key_path, made_key

_MOST_CHALLENGED: Final = 16


class Gate:
    """Listens on the network. tell: called, in any thread, when somebody has been admitted."""

    def __init__(self, where: str, tell: Callable[[], object]) -> None:
        self._path = key_path()
        self._key = made_key(self._path)
        self.listener = network.open_listener(where)
        self.address = str(network.address_of(self.listener))
        self._tell = tell
        self._lock = threading.Lock()
        self._challenged: set[socket.socket] = set()
        self._admitted: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self._closed = False

    @property
    def how(self) -> str:
        """What to type elsewhere."""
        return f"daifu-bc attach {self.address} --key {self._path}"

    def accept(self) -> None:
        """Somebody knocks."""
        try:
            connection, _ = self.listener.accept()
        except OSError:  # it is gone again, or there are no descriptors
            return
        with self._lock:
            if len(self._challenged) >= _MOST_CHALLENGED:
                connection.close()
                return
            self._challenged.add(connection)
        try:
            threading.Thread(target=self._challenge, args=(connection,), name="daifu_bc key", daemon=True).start()
        except RuntimeError:  # no more threads: the next one may come through
            self._give_up(connection)

    def admitted(self) -> list[socket.socket]:
        """Who has come in since."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._admitted.get_nowait())
        return found

    def close(self) -> None:
        """Nobody comes in any more."""
        self.listener.close()
        with self._lock:
            self._closed = True
            for connection in self._challenged:
                with contextlib.suppress(OSError):  # it is gone
                    connection.shutdown(socket.SHUT_RDWR)  # its thread ends
        for connection in self.admitted():
            connection.close()

    def forget(self) -> None:
        """In a forked child: close what it has from its parent, whose sockets go on."""
        for closing in (self.listener, *self._challenged, *self.admitted()):
            closing.close()

    def _challenge(self, connection: socket.socket) -> None:
        try:
            network.challenge(connection, self._key)
        except Exception:  # whatever comes from the network must not end in a traceback in the program's output
            self._give_up(connection)
            return
        with self._lock:
            self._challenged.discard(connection)
            if self._closed:
                connection.close()
                return
            self._admitted.put(connection)
        self._tell()

    def _give_up(self, connection: socket.socket) -> None:
        with self._lock:
            self._challenged.discard(connection)
            connection.close()
