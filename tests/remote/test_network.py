"""`listen`: over the network only who has the key gets in, and whatever else comes leaves the crash decidable."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import stat
import struct
from multiprocessing.connection import answer_challenge, deliver_challenge

import pytest

pytest.importorskip("pty")
MENDED = "RESULT 42\nTHREADS 1\n"
HELLO = b'{"type": "hello", "v": 1, "want": "console"}\n'


class Listening:
    """A crash that listens on the network."""

    def __init__(self, place, **environment):
        self.place = place
        self.key = place.folder / "key"
        environment = {"DAIFU_BC_LISTEN": "127.0.0.1:0", "DAIFU_BC_KEY": str(self.key), **environment}
        self.program = place.start(**environment)
        self.line = self.program.wait_until_it_waits()
        self.address = re.search(r"attach (127.0.0.1:\d+)", self.line)[1]

    def connect(self):
        host, port = self.address.split(":")
        connection = socket.create_connection((host, int(port)), 60)
        return connection

    def admitted(self):
        """A connection that has shown the key."""
        connection = self.connect()
        framed = Framed(connection)
        key = self.key.read_bytes().strip()
        answer_challenge(framed, key)
        deliver_challenge(framed, key)
        return connection

    def command(self, *arguments, key=None):
        return self.place.command(*arguments, "--key", key or self.key)

    def is_decidable(self):
        sent = self.command("send", self.address, "batch[1] = 4", "retry")
        assert "released: retry" in sent.stdout, sent
        return self.program.ended()[1] == MENDED


class Framed:
    """As multiprocessing sends it."""

    def __init__(self, connection):
        self.connection = connection

    def send_bytes(self, data):
        self.connection.sendall(struct.pack("!i", len(data)) + data)

    def recv_bytes(self, longest):
        (length,) = struct.unpack("!i", self.connection.recv(4, socket.MSG_WAITALL))
        assert length <= longest
        return self.connection.recv(length, socket.MSG_WAITALL)


def rest(connection):
    """All that comes until the other end closes."""
    found = b""
    try:
        while data := connection.recv(65536):
            found += data
    except ConnectionError:
        pass
    return found


def test_nothing_listens_on_the_network_unless_asked(place):
    program = place.crash()
    inodes = {os.readlink(f"/proc/{program.pid}/fd/{n}") for n in os.listdir(f"/proc/{program.pid}/fd")}
    for table in ("tcp", "tcp6"):
        with open(f"/proc/{program.pid}/net/{table}", encoding="ascii") as file:
            assert not inodes & {f"socket:[{line.split()[9]}]" for line in list(file)[1:]}
    assert place.ps()[0]["listens"] == ""


def test_it_is_mended_over_the_network(place):
    crash = Listening(place)
    assert f"or `daifu-bc attach {crash.address} --key {crash.key}`" in crash.line
    assert stat.S_IMODE(crash.key.stat().st_mode) == 0o600 and len(crash.key.read_text().strip()) == 64
    terminal = place.attach(crash.address, "--key", crash.key)
    terminal.wait_for("(daifu) ")
    assert "[3, '4']" in terminal.say("p batch")
    terminal.say("batch[1] = 4")
    terminal.say("retry", "released: retry]")
    assert terminal.ended() == 0
    assert crash.program.ended()[:2] == (0, MENDED)


def test_it_is_listed_and_sent_to_over_the_network(place):
    crash = Listening(place)
    (row,) = map(json.loads, crash.command("ps", crash.address, "--json").stdout.splitlines())
    assert (row["pid"], row["listens"]) == (crash.program.pid, crash.address)
    assert crash.is_decidable()


def test_the_unix_socket_is_there_too_and_the_key_is_used_again(place):
    first, second = Listening(place), Listening(place)
    assert first.is_decidable() and second.is_decidable()
    third = Listening(place)
    assert "released: retry" in place.command("send", third.program.pid, "batch[1] = 4", "retry").stdout


def test_pyproject_says_where_to_listen(place):
    table = f'[tool.daifu_bc]\nlisten = "127.0.0.1:0"\nkey = "{place.folder / "key"}"\n'
    (place.folder / "pyproject.toml").write_text(table)
    (place.folder / "train.py").write_text(place.run_text)
    text = f"import os, runpy; os.chdir({str(place.folder)!r}); import daifu_bc.cli as c; c.main(['run', 'train.py'])"
    assert "127.0.0.1:" in place.start(text).wait_until_it_waits()


def test_a_wrong_key_is_refused_at_both_ends(place):
    crash = Listening(place)
    other = place.folder / "other"
    other.write_text("x" * 64)
    other.chmod(0o600)
    for arguments in (("ps", crash.address), ("attach", crash.address), ("send", crash.address, "retry")):
        refused = crash.command(*arguments, key=other)
        assert refused.returncode == 1 and "is not the one of" in refused.stdout + refused.stderr
    assert crash.is_decidable()


def test_whoever_attaches_has_a_key_already(place):
    crash = Listening(place)
    missing = crash.command("ps", crash.address, key=place.folder / "nothing")
    assert missing.returncode == 1 and "No such file" in missing.stderr
    assert not (place.folder / "nothing").exists()
    usual = place.command("ps", crash.address)
    assert usual.returncode == 1 and "No such file" in usual.stderr
    assert crash.is_decidable()


@pytest.mark.parametrize("fault", ["open", "short", "empty", "link", "folder"])
def test_a_key_that_is_none_is_refused_and_the_unix_socket_remains(place, fault):
    key = place.folder / "key"
    if fault == "folder":
        key.mkdir(mode=0o700)
    elif fault == "link":
        (place.folder / "elsewhere").write_text("x" * 64)
        key.symlink_to(place.folder / "elsewhere")
    else:
        key.write_text({"open": "x" * 64, "short": "x" * 31, "empty": ""}[fault])
        key.chmod(0o644 if fault == "open" else 0o600)
    program = place.start(DAIFU_BC_LISTEN="127.0.0.1:0", DAIFU_BC_KEY=str(key))
    line = program.process.stderr.readline()
    assert "nobody can attach over the network" in line and str(key) in line
    assert "--key" not in program.wait_until_it_waits()
    assert "released: retry" in place.command("send", program.pid, "batch[1] = 4", "retry").stdout
    assert program.ended()[:2] == (0, MENDED)


@pytest.mark.parametrize("where", ["nonsense", ":80", "127.0.0.1:99999", "127.0.0.1", "a/b:1", "::1:80"])
def test_a_place_that_is_none_is_one_line(place, where):
    program = place.start(DAIFU_BC_LISTEN=where, DAIFU_BC_KEY=str(place.folder / "key"))
    assert "nobody can attach over the network" in program.process.stderr.readline()
    program.wait_until_it_waits()
    assert "released: retry" in place.command("send", program.pid, "batch[1] = 4", "retry").stdout
    assert program.ended()[:2] == (0, MENDED)


def test_a_port_that_is_taken_is_one_line(place):
    first = Listening(place)
    program = place.start(DAIFU_BC_LISTEN=first.address, DAIFU_BC_KEY=str(first.key))
    assert "Address already in use" in program.process.stderr.readline()
    program.wait_until_it_waits()
    assert "released: retry" in place.command("send", program.pid, "batch[1] = 4", "retry").stdout
    assert program.ended()[:2] == (0, MENDED) and first.is_decidable()


def test_without_the_key_nothing_is_said_but_a_challenge(place):
    crash = Listening(place)
    connection = crash.connect()
    connection.sendall(HELLO + b'{"type": "line", "text": "abort"}\n')
    answer = rest(connection)
    assert b"#CHALLENGE#" in answer and b"{" not in answer.partition(b"}")[2]
    assert crash.is_decidable()


def test_half_open_connections_and_clients_that_stall_are_closed_in_time(place):
    crash = Listening(place)
    silent = [crash.connect() for _ in range(16)]
    assert rest(crash.connect()) == b""  # one too many
    assert place.command("ps").stdout.count("step:4") == 1  # here nobody is kept out by them
    assert all(rest(connection).startswith(b"\0\0\0") for connection in silent)
    stalled = crash.admitted()
    assert rest(stalled) == b""  # it has the key, and says nothing
    assert crash.is_decidable()


def test_a_client_that_drips_has_no_more_time_than_others(place):
    crash = Listening(place)
    connection = crash.connect()
    connection.sendall(b"\0\0\0\xff")
    connection.settimeout(0.5)
    closed = False
    for _ in range(100):
        try:
            connection.sendall(b"x")
            closed = connection.recv(65536) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            closed = True
        if closed:
            break
    assert closed and crash.is_decidable()


def test_a_client_that_reads_nothing_is_put_out(place):
    crash = Listening(place)
    stalled = crash.admitted()
    stalled.sendall(HELLO + b'{"type": "line", "text": "for n in range(300000): print(n)"}\n')
    taken = place.command("attach", "--take", "--json", crash.program.pid, input="")
    assert '"welcome"' in taken.stdout
    assert crash.is_decidable()


def test_another_version_is_refused(place):
    crash = Listening(place)
    connection = crash.admitted()
    connection.sendall(b'{"type": "hello", "v": 99, "want": "console"}\n')
    assert json.loads(rest(connection))["type"] == "refused"
    assert crash.is_decidable()


def test_malformed_messages_with_and_without_the_key(place):
    crash = Listening(place, DAIFU_BC_WAIT="300")
    random.seed(1)
    whole = [HELLO, b'{"type": "line", "text": "raise SystemExit"}\n', b"[1]\n", b"\xff\xfe\n", b"[" * 5000 + b"\n"]
    whole += [b"#WELCOME#", b"\0\0\0\x09#WELCOME#", b"\xff\xff\xff\xff", b"\0\0\0\x10" + b"x" * 16, b"\n"]
    for number in range(1_000):
        connection = crash.admitted() if number % 20 == 0 else crash.connect()
        mutated = bytearray(random.choice(whole[1:]))
        mutated[random.randrange(len(mutated))] = random.randrange(256)
        try:
            connection.sendall((bytes(mutated) + random.choice(whole[1:])) * 25)
        except OSError:
            pass
        connection.close()
    assert crash.program.process.poll() is None
    assert "Traceback" not in crash.program.said
    assert crash.is_decidable()


def test_a_forked_child_does_not_hold_the_port(place):
    crash = Listening(place)
    waits = "os.close(1), os.close(2), select.select([], [], [], 60), os._exit(0)"
    lines = ["import os, select", f"child = os.fork() or ({waits})"]
    said = crash.command("send", crash.address, *lines, "print('CHILD', child)").stdout
    child = int(re.search(r"CHILD (\d+)", said)[1])
    try:
        assert crash.is_decidable()
        host, port = crash.address.split(":")
        socket.create_server((host, int(port))).close()
    finally:
        os.kill(child, signal.SIGKILL)
