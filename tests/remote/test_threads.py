"""Crashes of several threads queue up for one console; the other threads run on."""

from __future__ import annotations

import pytest

pytest.importorskip("pty")

THREADS = """
import threading, sys
import daifu_bc
done = []
@daifu_bc.protect
def work(batch):
    done.append(sum(batch))
def healthy():
    while len(done) < 3:
        ticks[0] += 1
ticks = [0]
threads = [threading.Thread(target=work, args=([number, "1"],), name=f"worker {number}") for number in range(3)]
threads.append(threading.Thread(target=healthy))
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.stdout.write(f"RESULT {sorted(done)} {ticks[0] > 0} {threading.active_count()}\\n")
"""


def crash_in_three(place):
    program = place.start(THREADS)
    for _ in range(3):
        program.wait_until_it_waits()
    return program


def test_one_console_decides_them_one_after_the_other(place):
    program = crash_in_three(place)
    assert {row["thread"] for row in place.ps()} == {"worker 0", "worker 1", "worker 2"}
    terminal = place.attach()
    for more in ("2 more]", "1 more]", "released: retry]"):
        terminal.wait_for("(daifu) ")
        terminal.say("batch[1] = 1")
        terminal.say("retry", more)
    assert terminal.ended() == 0
    assert program.ended()[:2] == (0, "RESULT [1, 2, 3] True 1\n")


def test_the_others_run_on_meanwhile(place):
    program = crash_in_three(place)
    terminal = place.attach()
    terminal.wait_for("(daifu) ")
    terminal.say("before = ticks[0]")
    assert "True" in terminal.say("any(ticks[0] > before for _ in iter(int, 1))")
    terminal.say("detach", "the crash waits on]")
    assert len(place.ps()) == 3
    assert program.process.poll() is None


def test_a_crash_that_is_let_go_leaves_the_others_waiting(place):
    program = crash_in_three(place)
    assert "released: abort" in place.command("send", program.pid, "abort").stdout
    assert len(place.ps()) == 2
