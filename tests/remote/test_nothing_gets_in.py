"""Whatever comes in or goes wrong: nothing runs that should not, and the crash stays decidable."""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import subprocess
import sys

import pytest

pytest.importorskip("pty")
HELLO = b'{"type": "hello", "v": 1, "want": "console"}\n'


def connect(place, program):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(place.runtime / f"{program.pid}.sock"))
    connection.settimeout(60)
    return connection


def answer(connection):
    """All that comes until the other end closes."""
    found = b""
    try:
        while data := connection.recv(65536):
            found += data
    except ConnectionResetError:
        pass
    return found


def is_decidable(place, program):
    sent = place.command("send", program.pid, "batch[1] = 4", "retry")
    assert "released: retry" in sent.stdout, sent
    return program.ended()[1] == "RESULT 42\nTHREADS 1\n"


def test_folder_and_socket_are_private(place):
    program = place.crash()
    assert stat.S_IMODE(place.runtime.stat().st_mode) == 0o700
    assert stat.S_IMODE((place.runtime / f"{program.pid}.sock").stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_listened_to(place):
    program = place.crash()
    path = place.runtime / f"{program.pid}.sock"
    for folder in (place.folder, *place.folder.parents[:2]):
        os.chmod(folder, 0o755)
    script = f"""
import os, socket
os.setgid(65534); os.setuid(65534)
other = socket.socket(socket.AF_UNIX)
try:
    other.connect({str(path)!r})
    other.settimeout(20)
    other.sendall({HELLO!r})
    print(other.recv(1000))
except OSError as error:
    print(type(error).__name__)
"""

    def run():
        command = [sys.executable, "-c", script]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/").stdout

    assert run() == "PermissionError\n"
    os.chmod(place.runtime, 0o755)  # the folder and the socket opened by mistake: the kernel's word on the user remains
    os.chmod(path, 0o666)
    assert run() in ("b''\n", "ConnectionResetError\n", "BrokenPipeError\n")
    os.chmod(place.runtime, 0o700)
    assert is_decidable(place, program)


def refused(place):
    plain = place.start(DAIFU_BC_OFF="1")
    ours = place.start()
    line = ours.wait_until_it_waits()
    status, out, err = ours.ended()
    assert (status, out, err.removeprefix(line)) == plain.ended()
    assert line.startswith("daifu_bc: nobody can attach: ")
    return line


def test_a_symbolic_link_is_no_private_folder(place):
    (place.folder / "elsewhere").mkdir(mode=0o700)
    place.runtime.symlink_to(place.folder / "elsewhere")
    refused(place)
    assert not list((place.folder / "elsewhere").iterdir())


def test_a_folder_that_others_can_enter_is_refused(place):
    place.runtime.mkdir()
    place.runtime.chmod(0o755)
    assert "is open to others" in refused(place)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_that_another_user_has_squatted_is_refused(place):
    place.runtime.mkdir(mode=0o700)
    os.chown(place.runtime, 65534, 65534)
    assert "belongs to another user" in refused(place)
    ours = place.command("ps")
    assert ours.returncode == 1 and "belongs to another user" in ours.stderr


def test_a_folder_that_cannot_be_is_one_line(place):
    place.runtime.write_text("a file")
    refused(place)


def test_a_hundred_thousand_malformed_messages(place):
    program = place.crash(DAIFU_BC_WAIT="300")
    random.seed(0)
    whole = [HELLO, b'{"type": "line", "text": "raise SystemExit"}\n', b'{"type": "hello", "v": 2}\n', b"[1]\n"]
    whole += [b'{"type": "line"}\n', b'{"type": 1}\n', b"\xff\xfe\n", b"[" * 5000 + b"\n", b"\n", b'{"v": NaN}\n']
    before = [message for message in whole[1:] if not message.startswith(b'{"type": "hello"')]
    for _ in range(1_000):  # each closes its connection: what comes with it is not looked at
        connection = connect(place, program)
        mutated = bytearray(random.choice(before))
        mutated[random.randrange(len(mutated))] = random.randrange(256)
        try:
            connection.sendall((bytes(mutated) + random.choice(before)) * 50)
        except OSError:
            pass
        connection.close()
    connection = connect(place, program)
    connection.sendall(HELLO)
    strange = [b'{"type": "line"}\n', b'{"type": "eval", "text": "x"}\n', b'{"type": "complete"}\n']
    for _ in range(50_000):  # well-formed, and nothing that an attached console says
        try:
            connection.sendall(random.choice(strange))
        except OSError:  # it was put out
            break
    connection.close()
    assert program.process.poll() is None
    assert is_decidable(place, program)


def test_a_message_without_end_is_cut_off(place):
    program = place.crash()
    connection = connect(place, program)
    with pytest.raises(OSError):
        while True:
            connection.sendall(b"x" * 65536)
    assert is_decidable(place, program)


def test_another_version_is_refused(place):
    program = place.crash()
    connection = connect(place, program)
    connection.sendall(b'{"type": "hello", "v": 99, "want": "console"}\n')
    assert json.loads(answer(connection))["type"] == "refused"
    assert is_decidable(place, program)


def test_half_open_connections_are_closed_in_time(place):
    program = place.crash()
    silent = [connect(place, program) for _ in range(64)]
    assert answer(connect(place, program)) == b""  # one too many
    assert [answer(connection) for connection in silent] == [b""] * 64
    assert is_decidable(place, program)


def test_a_client_that_reads_nothing_is_put_out(place):
    program = place.crash()
    stalled = connect(place, program)
    stalled.sendall(HELLO + b'{"type": "line", "text": "for n in range(100000): print(n)"}\n')
    taken = place.command("attach", "--take", "--json", program.pid, input="")
    assert '"welcome"' in taken.stdout
    assert is_decidable(place, program)


def test_no_descriptor_is_left_after_it_has_gone_on(place):
    text = place.run_text.replace(
        'sys.stdout.write(f"', 'import os; before = os.listdir("/proc/self/fd"); sys.stdout.write(f"'
    )
    program = place.crash(text + "print(len(before) == len(os.listdir('/proc/self/fd')), flush=True)")
    place.command("send", program.pid, "batch[1] = 4", "retry")
    assert program.ended()[1].endswith("True\n")


def test_a_command_that_cannot_be_run_is_no_obstacle(place):
    program = place.crash(DAIFU_BC_NOTIFY="exit 3")
    assert is_decidable(place, program)


def test_a_healthy_process_has_no_thread_and_loads_nothing_for_it(place):
    text = place.run_text.replace('"4"', "4").replace("'4'", "4")
    ended = place.start(text + "print([m for m in sys.modules if 'daifu_bc.remote' in m], flush=True)").ended()
    assert ended == (0, "RESULT 42\nTHREADS 1\n[]\n", "")
    assert not place.runtime.exists()
