"""The console on a real (pseudo-)terminal: keys, signals, threads, replaced streams."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("pty")


@pytest.fixture
def start(on_terminal):
    """Start a script on a terminal, and wait for the prompt."""
    started = []

    def run(script, prompt="(daifu) ", **environment):
        program = on_terminal.OnTerminal(script, **environment)
        started.append(program)
        if prompt:
            program.wait_for(prompt)
        return program

    yield run
    for program in started:
        program.__exit__(None, None, None)


SHOW = "print('RESULT', run())\n"


def test_the_developer_mends_and_goes_on(start):
    program = start(SHOW)
    assert "IndexError: tuple index out of range" in program.text
    program.say("rows = (1, 2, 3, 4, 5)")
    assert "5\n" in program.say("len(rows)")
    program.say("skip", "RESULT (Skip(), 6)")
    assert program.ended() == 0


def test_ctrl_c_leads_back_to_the_prompt_and_kills_nothing(start):
    script = """
import signal
def handler(signum, frame): sys.exit("killed")
signal.signal(signal.SIGINT, handler)
print('RESULT', run(), signal.getsignal(signal.SIGINT) is handler)
"""
    program = start(script)
    for _ in range(3):
        program.type("half a line")
        program.wait_for("half a line")
        program.interrupt()
    program.say("skip", "RESULT (Skip(), 6) True")
    assert program.ended() == 0


def test_no_signal_handler_is_left_behind(start):
    script = """
import signal
def handlers(): return {number: signal.getsignal(number) for number in signal.valid_signals()}
before = handlers()
result = run()
print('RESULT', result, handlers() == before)
"""
    program = start(script)
    program.say("debug total", "((daifu)) ")
    program.say("c")
    program.say("skip", "RESULT (Skip(), 6) True")


def test_ctrl_c_ends_what_runs_at_the_prompt(start):
    program = start(SHOW)
    program.say("print('begun') or __import__('time').sleep(1000)", "begun\n")
    program.interrupt("*** KeyboardInterrupt\n(daifu) ")
    program.say("p print('again') or __import__('time').sleep(1000)", "again\n")
    program.interrupt("*** KeyboardInterrupt\n(daifu) ")
    program.say("redo", "RESULT (Redo(), 6)")


def test_ctrl_c_at_the_question_leads_back(start):
    program = start(SHOW)
    program.say("q", "[y/N] ")
    program.interrupt()
    program.say("skip", "RESULT (Skip(), 6)")


def test_ctrl_d_asks_and_can_be_taken_back(start):
    program = start(SHOW)
    program.type("\x04")
    program.wait_for("[y/N] ")
    program.say("n")
    program.say("skip", "RESULT (Skip(), 6)")


def test_ctrl_d_twice_aborts(start):
    program = start(SHOW)
    program.type("\x04")
    program.wait_for("[y/N] ")
    program.type("\x04")
    program.wait_for("RESULT (Abort(), 6)")
    assert program.ended() == 0


def test_a_terminal_that_goes_away_passes_on(start, tmp_path):
    report = tmp_path / "report"
    script = f"""
import os, signal, pathlib
signal.signal(signal.SIGHUP, signal.SIG_IGN)
result = run()
pathlib.Path({str(report)!r}).write_text(repr(result))
os._exit(0)  # flushing to the terminal fails
"""
    program = start(script)
    program.hang_up()
    assert program.process.wait(60) == 0
    assert report.read_text() == "(None, 6)"


def test_a_replaced_stdout_does_not_hide_the_prompt_and_other_threads_keep_theirs(start):
    script = """
import io, threading
log = sys.stdout = io.StringIO()
asked, printed = threading.Event(), threading.Event()
def other():
    asked.wait()
    print("from the other thread")
    printed.set()
threading.Thread(target=other).start()
result = run()
print("after")
same = sys.stdout is log
sys.stdout = sys.__stdout__
print('RESULT', result, same, log.getvalue().splitlines())
"""
    program = start(script)
    program.say("import __main__; __main__.asked.set(); __main__.printed.wait(); print('to the terminal')",
                "to the terminal\n")  # fmt: skip
    program.wait_for("(daifu) ")
    program.type("p tot\t\n")  # line editing is there: the name is completed
    assert "6" in program.wait_for("(daifu) ")
    program.say("skip", "RESULT (Skip(), 6) True ['from the other thread', 'after']")


def test_a_prompt_in_a_thread_does_not_let_ctrl_c_kill_the_main_thread(start):
    script = """
import termios, threading
before = termios.tcgetattr(0)[6][termios.VINTR]
results = []
thread = threading.Thread(target=lambda: results.append(run()))
thread.start()
thread.join()
print('RESULT', results, termios.tcgetattr(0)[6][termios.VINTR] == before)
"""
    program = start(script)
    program.type("\x03\x03")
    program.say("p total + 100", "106")
    program.wait_for("(daifu) ")
    program.say("skip", "RESULT [(Skip(), 6)] True")
    assert program.ended() == 0


def test_two_threads_ask_one_after_the_other(start):
    script = """
import threading
results = []
threads = [threading.Thread(target=lambda: results.append(run())) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print('RESULT', results)
"""
    program = start(script)
    program.say("skip")
    program.say("redo", "RESULT [(Skip(), 6), (Redo(), 6)]")


def test_what_readline_was_set_to_is_put_back(start):
    script = """
import readline
def completer(text, state): return None
readline.set_completer(completer)
readline.set_completer_delims(" ;")
result = run()
print('RESULT', result, readline.get_completer() is completer, repr(readline.get_completer_delims()))
"""
    program = start(script)
    program.interrupt()
    program.say("skip", "RESULT (Skip(), 6) True ' ;'")


def test_the_trace_function_and_the_signal_handler_stay_whatever_debug_does(start):
    script = """
def tracer(frame, event, arg): return None
sys.settrace(tracer)
result = run()
import pdb, signal
print('RESULT', result, sys.gettrace() is tracer, signal.getsignal(signal.SIGINT) is signal.default_int_handler,
      pdb.Pdb._previous_sigint_handler)
"""
    program = start(script)
    program.say("debug unwound((1,), 0)", "((daifu)) ")
    program.say("c")
    program.interrupt()
    program.say("skip", "RESULT (Skip(), 6) True True None")


def test_asyncio_does_not_hear_of_our_ctrl_c_but_of_other_signals(start):
    script = """
import asyncio, os, signal
async def main():
    loop, heard, done = asyncio.get_running_loop(), [], asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, heard.append, "INT")
    loop.add_signal_handler(signal.SIGUSR1, lambda: (heard.append("USR1"), done.set()))
    result = run()
    await asyncio.wait_for(done.wait(), 30)
    print('RESULT', result, heard)
asyncio.run(main())
"""
    program = start(script)
    program.interrupt()
    program.say("import os, signal; os.kill(os.getpid(), signal.SIGUSR1)")
    program.say("skip", "RESULT (Skip(), 6) ['USR1']")


def test_a_progress_bar_keeps_its_line(start):
    program = start("sys.stderr.write('\\r 40%|####      |')\n" + SHOW)
    assert "40%|####      |\n\nIndexError" in program.text


def test_colours_where_there_are_colours(start):
    pytest.importorskip("rich")
    program = start(SHOW)
    assert "\x1b[1;31mIndexError: tuple index out of range\x1b[0m" in program.raw


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_nobody_wants_them(start, environment):
    program = start(SHOW, **environment)
    assert "\x1b[1" not in program.raw
    assert "IndexError: tuple index out of range" in program.raw


def test_plain_text_without_rich(start):
    program = start("sys.modules['rich'] = None\n" + SHOW)
    assert "\x1b[1" not in program.raw
    assert "IndexError: tuple index out of range" in program.raw


def test_an_encoding_without_the_letters_shows_escapes(start):
    program = start("programs.train.__kwdefaults__ = None\n" + SHOW, PYTHONIOENCODING="ascii:strict")
    program.say("rows = '\\N{SNOWMAN}'")
    assert "'\\u2603'" in program.say("p rows")
    program.say("skip", "RESULT (Skip(), 6)")


def test_pdbrc_gives_aliases_and_takes_no_restart(start, tmp_path):
    (tmp_path / ".pdbrc").write_text("# mine\nalias hundred p %1 + 100\ncontinue\n")
    program = start(SHOW, HOME=str(tmp_path))
    assert "*** a restart in .pdbrc is not taken" in program.text
    assert "106" in program.say("hundred total")
    program.say("skip", "RESULT (Skip(), 6)")


def test_interact_and_back(start):
    program = start(SHOW)
    program.say("interact", ">>> ")
    assert "106" in program.say("total + 100", ">>> ")
    program.type("\x04")
    program.wait_for("(daifu) ")
    program.say("skip", "RESULT (Skip(), 6)")


class TestNobodyThere:
    def test_without_a_terminal(self, on_terminal):
        script = on_terminal.PREAMBLE + "print('RESULT', available(), run(), 'readline' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", script], input="", capture_output=True, text=True, check=True
        )
        assert done.stdout == "RESULT False (None, 6) False\n"

    def test_in_a_test_runner(self):
        from daifu_bc.console import available

        assert not available()

    def test_in_a_worker_process(self, start):
        script = """
import multiprocessing
def work(queue): queue.put((available(), run()))
context = multiprocessing.get_context("fork")
queue = context.Queue()
worker = context.Process(target=work, args=(queue,))
worker.start()
print('RESULT', queue.get(), available())
worker.join()
"""
        program = start(script, prompt="")
        program.wait_for("RESULT (False, (None, 6)) True")

    def test_where_stdin_was_replaced(self, start):
        program = start(
            "import io\nsys.stdin = io.StringIO('retry')\nprint('RESULT', available(), run())", prompt=""
        )
        program.wait_for("RESULT False (None, 6)")

    def test_in_the_background(self, start):
        script = """
import os, signal
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    print('RESULT', available(), run(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
        program = start(script, prompt="")
        program.wait_for("RESULT False (None, 6)")

    def test_stderr_will_do(self, start):
        script = (
            "import os\nos.dup2(os.open(os.devnull, os.O_WRONLY), 1)\nsys.stderr.write(f'RESULT {run()}')"
        )
        program = start(script)
        program.say("skip", "RESULT (Skip(), 6)")


def test_talking_over_other_streams_does_not_touch_readline(on_terminal):
    script = (
        on_terminal.PREAMBLE
        + """
import io
out = io.StringIO()
result = run(lambda crash: ask(crash, stdin=io.StringIO("p total\\nskip\\n"), stdout=out))
print('RESULT', result, 'readline' in sys.modules, '(daifu) 6' in out.getvalue())
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "RESULT (Skip(), 6) False True\n"
