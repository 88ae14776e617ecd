"""The listening post: one socket and one thread of a process in which crashes wait.

In: crashes that wait (oldest first), connections. Out: answers to who asks for facts, and a `Talk` for the crash that a
client may decide. Always true: the thread and the socket are there while a crash waits, and only then; only this user
(and root) is listened to, and who has passed the gate where `listen` asks for one; a connection that sends no proper
message in time is closed; the number of connections is bounded; nothing that is received is run here.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from daifu_bc.console.values import one_line
from daifu_bc.remote import settings
from daifu_bc.remote.folder import folder_path, opened
from daifu_bc.remote.talk import Gone, Talk
from daifu_bc.remote.wire import SECONDS, VERSION, Decoder, Malformed, Message, build, limit, user_of

if TYPE_CHECKING:
    from daifu_bc.remote.gate import Gate

_MOST_CONNECTIONS: Final = 64


class Waiting:
    """A crash that waits: its facts, and the consoles that come for it."""

    def __init__(self, facts: Callable[[], Message], patience: float) -> None:
        self._facts = facts
        self.listens = ""  # host:port
        self.patience = patience  # seconds that an attached console may be silent
        self.thread = threading.get_ident()
        self.arrivals: queue.SimpleQueue[Talk] = queue.SimpleQueue()
        self.talk: Talk | None = None

    def facts(self) -> Message:
        """As of now."""
        return {**self._facts(), "listens": self.listens}


class _Connection:
    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.decoder = Decoder()
        self.deadline = time.monotonic() + SECONDS
        self.talk: Talk | None = None


class Post:
    """Listens while `waiting` is not empty."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.closed = False
        self.waiting: list[Waiting] = []
        self._process = os.getpid()
        self._name = f"{self._process}.sock"
        self._path = folder_path()
        self._connections: dict[int, _Connection] = {}
        with contextlib.ExitStack() as made:
            self._listener = made.enter_context(contextlib.closing(_listen(self)))
            self._wake, self._woken = socket.socketpair()
            made.callback(self._wake.close)
            made.callback(self._woken.close)
            self._selector = selectors.DefaultSelector()
            made.callback(self._selector.close)
            self._selector.register(self._listener, selectors.EVENT_READ)
            self._selector.register(self._woken, selectors.EVENT_READ)
            made.callback(self._unlink)
            self.gate, self.fault = _open_gate(self._tell)  # no gate: the Unix socket listens all the same
            if self.gate is not None:
                made.callback(self.gate.close)
                self._selector.register(self.gate.listener, selectors.EVENT_READ)
            self._thread = threading.Thread(target=self._serve, name="daifu_bc attach", daemon=True)
            self._thread.start()
            made.pop_all()

    def enter(self, waiting: Waiting) -> bool:
        """Queue a crash; False once this post is closed."""
        with self._lock:
            if self.closed:
                return False
            self.waiting.append(waiting)
            waiting.listens = self.gate.address if self.gate is not None else ""
            return True

    def leave(self, waiting: Waiting) -> None:
        """A crash waits no longer; the last one closes the post."""
        with self._lock:
            self.waiting.remove(waiting)
            if self.waiting:
                return
            if not self.closed:  # otherwise the thread has failed, and the socket may be another post's
                self.closed = True
                self._unlink()
            self._wake.close()  # the thread ends
        self._thread.join(SECONDS)

    def adopt(self, talk: Talk, waiting: Waiting) -> None:
        """Whoever has decided is asked again: the decision could not be carried out."""
        number = talk.connection.fileno()
        if number not in self._connections:  # the post that it came to has closed
            connection = self._connections[number] = _Connection(talk.connection)
            connection.talk, talk.orphan = talk, False
            self._selector.register(talk.connection, selectors.EVENT_READ)
        waiting.talk = talk
        waiting.arrivals.put(talk)

    def forget(self) -> None:
        """In a forked child: close what it has from its parent, whose socket goes on."""
        self.closed = True
        for closing in (self._listener, self._wake, self._woken, *(c.socket for c in self._connections.values())):
            closing.close()
        self._selector.close()
        if self.gate is not None:
            self.gate.forget()

    def _tell(self) -> None:
        with contextlib.suppress(OSError):  # the post closes just then
            self._wake.send(b"1", socket.MSG_DONTWAIT)

    def _unlink(self) -> None:
        if os.getpid() == self._process:
            with contextlib.suppress(OSError), opened(self._path) as folder:
                os.unlink(f"{folder}/{self._name}")

    # The thread.

    def _serve(self) -> None:
        try:
            while not self.closed:
                for key, _ in self._selector.select(1.0 if self._connections else None):
                    self._heard(key.fd)
                self._drop_late()
        except Exception:  # those that wait are decided by their time-out; the next crash has a post of its own
            with self._lock:
                if not self.closed:
                    self.closed = True
                    self._unlink()
        finally:
            self._end()

    def _end(self) -> None:
        for connection in list(self._connections.values()):
            if connection.talk is None or not connection.talk.open:
                self._drop(connection)
            else:
                connection.talk.orphan = True
        self._listener.close()
        if self.gate is not None:
            self.gate.close()
        self._selector.close()
        self._woken.close()

    def _heard(self, number: int) -> None:
        if number == self._listener.fileno():
            self._accept()
        elif number == self._woken.fileno():
            self._woken.recv(64)
            for admitted in self.gate.admitted() if self.gate is not None else ():
                self._admit(admitted)
        elif self.gate is not None and number == self.gate.listener.fileno():
            self.gate.accept()
        elif (connection := self._connections.get(number)) is not None:
            try:
                self._read(connection)
            except (OSError, Malformed, Gone):
                self._drop(connection)

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except OSError:  # it is gone again, or there are no descriptors: the next one may come through
            return
        if user_of(accepted) in (os.geteuid(), 0):
            self._admit(accepted)
        else:
            accepted.close()

    def _admit(self, accepted: socket.socket) -> None:
        if len(self._connections) >= _MOST_CONNECTIONS:
            accepted.close()
            return
        limit(accepted, socket.SO_SNDTIMEO, SECONDS)
        connection = _Connection(accepted)
        self._connections[accepted.fileno()] = connection
        self._selector.register(accepted, selectors.EVENT_READ)

    def _read(self, connection: _Connection) -> None:
        data = connection.socket.recv(65536, socket.MSG_DONTWAIT)
        if not data:
            raise Gone("closed")
        for message in connection.decoder.feed(data):
            if connection.talk is not None:
                connection.talk.deliver(message)
            else:
                self._greet(connection, message)

    def _greet(self, connection: _Connection, hello: Message) -> None:
        if hello["type"] != "hello":
            raise Malformed("the first message is hello")
        if hello.get("v") != VERSION:
            self._answer(connection, {"type": "refused", "reason": f"this process speaks version {VERSION}"})
            raise Gone("version")
        with self._lock:
            waiting = list(self.waiting)
        if hello.get("want") != "console":
            self._answer(connection, {"type": "facts", "crashes": [one.facts() for one in waiting]})
            raise Gone("answered")
        self._open_talk(connection, hello, waiting)

    def _open_talk(self, connection: _Connection, hello: Message, waiting: list[Waiting]) -> None:
        active = next((one.talk for one in waiting if one.talk is not None and one.talk.open), None)
        if active is not None and hello.get("take") is not True:
            self._answer(connection, {"type": "refused", "reason": "another console is attached (attach --take)"})
            raise Gone("refused")
        if not waiting:
            raise Gone("nothing waits")
        if active is not None:
            active.end("taken")
        first = next((one for one in waiting if one.talk is active and active is not None), waiting[0])
        talk = Talk(connection.socket, hello, first.patience)
        talk.before = first.talk
        connection.talk = first.talk = talk
        first.arrivals.put(connection.talk)

    def _answer(self, connection: _Connection, message: Message) -> None:
        connection.socket.send(build({"v": VERSION, **message}), socket.MSG_DONTWAIT)

    def _drop_late(self) -> None:
        now = time.monotonic()
        for connection in list(self._connections.values()):
            if connection.talk is None and connection.deadline < now:
                self._drop(connection)

    def _drop(self, connection: _Connection) -> None:
        number = connection.socket.fileno()
        self._connections.pop(number, None)
        with contextlib.suppress(KeyError, ValueError, OSError):
            self._selector.unregister(connection.socket)
        if connection.talk is not None:
            connection.talk.end("detached")
        connection.socket.close()


def _listen(post: Post) -> socket.socket:
    """A socket in the private folder that only this user can connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with opened(post._path, make=True) as folder:
            place = f"{folder}/{post._name}"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place)  # of a process of the same number that was killed
            listener.bind(place)
            os.chmod(place, 0o600)
        listener.listen(128)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _open_gate(tell: Callable[[], object]) -> tuple[Gate | None, str]:
    """The gate, if one is asked for, or why there is none."""
    where = settings.listen()
    if not where:
        return None, ""
    try:
        from daifu_bc.remote.gate import Gate  # the challenges only where they are asked for

        return Gate(where, tell), ""
    except Exception as error:  # no key, no port: a crash that waits for fewer, which is said
        return None, f"nobody can attach over the network, at {where}: {one_line(str(error), 300)}"
