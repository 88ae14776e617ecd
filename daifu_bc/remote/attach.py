"""`daifu-bc attach` and `daifu-bc send`: the console of a crashed process in this terminal.

In: which process. Out: an exit status. Always true: keys are edited here, lines are run there; Ctrl-C leads back to the
prompt and Ctrl-D detaches: only a command ends the wait.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from daifu_bc.console.values import one_line
from daifu_bc.remote import find, healthy, joblog
from daifu_bc.remote.client import LAST, Client, ending, show
from daifu_bc.remote.wire import Malformed, Message, parse
from daifu_bc.remote.workers import words_for_worker

_DELIMITERS = " \t\n`@#%^&*()=+[{]}\\|;:'\",<>?"  # pdb's


def attach(wanted: find.Wanted | find.Place, *, take: bool, as_json: bool) -> int:
    """Talk until the crash is decided; then with the next one of the same process."""
    while True:
        pid = _process(wanted) if isinstance(wanted, find.Wanted) else wanted
        if as_json:
            return _relay(pid, take)
        client = Client(pid, take=take, colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
        keys = _Keys(client)
        before = signal.signal(signal.SIGINT, keys.interrupted)
        try:
            print(f"[process {pid}: attached]", flush=True)
            with _line_editing(client):
                last = _talk(client, keys)
        finally:
            signal.signal(signal.SIGINT, before)
        status, words = ending(last)
        print(f"[process {pid}: {words}]")
        if last is None or not last.get("more"):
            return status
        wanted = find.Wanted((str(pid),)) if isinstance(pid, int) else pid
        print(f"[process {pid}: {last['more']} more]")


def send(wanted: find.Wanted, every: bool, lines: Sequence[str]) -> int:
    """Type lines at the prompt of a process, or of all that match."""
    found = find.crashes()
    if not every:
        found = [find.choose(wanted, found)]
    pids = sorted({row["pid"] for row in find.matches(wanted, found)})
    if not pids:
        raise find.NotThere("no crash waits")
    statuses = []
    with ThreadPoolExecutor(32) as pool:
        for pid, (status, text, words) in zip(pids, pool.map(lambda pid: _type(pid, lines), pids), strict=True):
            statuses.append(status)
            show(text)
            print(f"[process {pid}: {words}]")
    return max(statuses)


def _process(wanted: find.Wanted) -> int:
    found = find.crashes()
    if len(wanted.words) == 1 and wanted.words[0].isdecimal() and not find.matches(wanted, found):
        healthy.pause(int(wanted.words[0]))
        return int(wanted.words[0])
    return int(find.choose(wanted, found)["pid"])


def send_far(place: find.Place, lines: Sequence[str]) -> int:
    """Type lines at the prompt of one process, wherever it is."""
    status, text, words = _type(place, lines)
    show(text)
    print(f"[process {place}: {words}]")
    return status


def _type(pid: find.Place, lines: Sequence[str]) -> tuple[int, str, str]:
    """Send lines one by one; what they printed, and how it ended."""
    rest = list(lines)
    printed: list[str] = []
    last: Message | None = None
    try:
        client = Client(pid)
        for last in client.messages():
            if last["type"] == "output" and len(rest) < len(lines):
                printed.append(str(last.get("text")))
            elif last["type"] == "prompt" and rest:
                client.send("line", text=rest.pop(0))
            elif last["type"] == "prompt":
                client.send("detach")
    except (find.NotThere, Malformed) as error:
        return 1, "", str(error)
    status, words = ending(last)
    return status, "".join(printed), words


def _relay(pid: find.Place, take: bool) -> int:
    """Messages as they are (wire.py describes them): the client's on stdin, the process's on stdout."""
    client = Client(pid, take=take)
    threading.Thread(target=_relay_stdin, args=(client,), daemon=True).start()
    last = None
    for last in client.messages():
        _tell(last)
    return ending(last)[0]


def _tell(message: Mapping[str, object]) -> None:
    """Two threads write: a line in one piece."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _relay_stdin(client: Client) -> None:
    for line in sys.stdin.buffer:
        try:
            message = parse(line)
        except Malformed as error:
            _tell({"type": "error", "reason": str(error)})
            continue
        client.send(message.pop("type"), **message)
    client.send("detach")


class _Keys:
    """Ctrl-C ends the line that is typed; otherwise it is for the process. It ends nothing else here."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.typing = False

    def interrupted(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGINT."""
        if self.typing:
            self.typing = False
            raise KeyboardInterrupt
        self._client.send("interrupt")


def _talk(client: Client, keys: _Keys) -> Message | None:
    """Print what comes, type what is asked for; the last message."""
    while True:
        message = client.receive()
        if message is None or message["type"] in LAST:
            return message
        if message["type"] == "output":
            show(message.get("text"))
        elif message["type"] == "welcome" and (worker := words_for_worker(message)):
            print(f"[{one_line(worker, 100)}]", flush=True)
        elif message["type"] == "prompt":
            _answer(client, keys, str(message.get("text", "")))


def _answer(client: Client, keys: _Keys, prompt: str) -> None:
    try:
        keys.typing = True
        text = input(prompt)
        keys.typing = False
        client.send("line", text=text)
    except KeyboardInterrupt:
        print()
        client.send("interrupt")
    except EOFError:
        print()
        client.send("detach")
    except UnicodeDecodeError as error:  # what was typed is no text
        print(f"*** {error}")
        client.send("line", text="")
    finally:
        keys.typing = False


@contextlib.contextmanager
def _line_editing(client: Client) -> Iterator[None]:
    """Completion asks the process; history is kept for the next time."""
    if not sys.stdin.isatty():
        yield
        return
    try:
        import readline
    except ImportError:  # a Python without it
        yield
        return
    history = joblog.folder() / "history"
    with contextlib.suppress(OSError):
        history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        readline.read_history_file(history)
    readline.set_completer_delims(_DELIMITERS)
    readline.set_completer(_Completer(client, readline).word)
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
        with contextlib.suppress(OSError):
            readline.set_history_length(1000)
            readline.write_history_file(history)


class _Completer:
    def __init__(self, client: Client, readline: Any) -> None:
        self._client = client
        self._readline = readline
        self._words: list[str] = []

    def word(self, text: str, number: int) -> str | None:
        """Word `number` of those that fit."""
        if number == 0:
            self._words = self._ask(text)
        return self._words[number] if number < len(self._words) else None

    def _ask(self, text: str) -> list[str]:
        of = self._readline
        self._client.send("complete", text=text, line=of.get_line_buffer(), begin=of.get_begidx(), end=of.get_endidx())
        message = self._client.receive()
        if message is None or message["type"] != "completions":
            return []  # it is gone: the line that is typed finds that out
        return [str(word) for word in message.get("words", [])]
