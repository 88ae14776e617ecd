"""A crash without a terminal waits, is found, and is mended from another terminal."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pty")
MENDED = "RESULT 42\nTHREADS 1\n"


def test_it_says_in_one_line_where_it_is_and_how_to_reach_it(place):
    program = place.start()
    line = program.wait_until_it_waits()
    assert line.startswith("daifu_bc: TypeError: unsupported operand")
    assert "in step (<string>:4)" in line
    assert f"`daifu-bc attach {program.pid}`" in line


def test_it_is_mended_from_another_terminal(place):
    program = place.crash()
    terminal = place.attach()
    banner = terminal.wait_for("(daifu) ")
    assert "TypeError" in banner and "c takes retry" in banner
    assert "[3, '4']" in terminal.say("p batch")
    terminal.say("batch[1] = 4")
    terminal.say("retry", "released: retry]")
    assert terminal.ended() == 0
    assert program.ended()[:2] == (0, MENDED)
    assert list(place.runtime.iterdir()) == []


def test_words_are_completed_and_lines_remembered(place):
    place.crash()
    terminal = place.attach()
    terminal.wait_for("(daifu) ")
    terminal.type("p bat\t")
    terminal.wait_for("p batch")
    terminal.say("", "[3, '4']\n(daifu) ")
    terminal.type("\x1b[A")
    terminal.wait_for("p batch")
    terminal.say("")
    terminal.say("detach", "the crash waits on]")
    assert "p batch" in (place.folder / "state" / "daifu_bc" / "history").read_text()


def test_detached_it_waits_and_can_be_attached_again(place):
    program = place.crash()
    for leave in ("detach\n", "\x04"):
        terminal = place.attach(program.pid)
        terminal.wait_for("(daifu) ")
        terminal.type(leave)
        terminal.wait_for("detached: the crash waits on]")
        assert terminal.ended() == 0
    assert place.command("send", program.pid, "batch[1] = 4", "retry").returncode == 0
    assert program.ended()[:2] == (0, MENDED)


def test_a_client_that_disappears_leaves_the_crash_waiting(place):
    program = place.crash()
    terminal = place.attach("--last")
    terminal.wait_for("(daifu) ")
    terminal.kill()
    again = place.attach("train.py", "--take")
    again.wait_for("(daifu) ")
    again.say("batch[1] = 4")
    again.say("retry", "released: retry]")
    assert program.ended()[:2] == (0, MENDED)


def test_a_second_console_is_refused_unless_it_takes_over(place):
    program = place.crash()
    first = place.attach()
    first.wait_for("(daifu) ")
    refused = place.command("attach", program.pid)
    assert refused.returncode == 1
    assert "refused: another console is attached" in refused.stdout
    assert "batch" in first.say("p 'batch'")
    second = place.attach("--take")
    second.wait_for("(daifu) ")
    first.type("\n")
    first.wait_for("another console has taken over]")
    second.say("batch[1] = 4")
    second.say("retry", "released: retry]")
    assert program.ended()[:2] == (0, MENDED)


def test_ctrl_c_ends_what_runs_and_leads_back_to_the_prompt(place):
    place.crash()
    terminal = place.attach()
    terminal.wait_for("(daifu) ")
    terminal.type("half a line")
    terminal.wait_for("half a line")
    terminal.interrupt("--KeyboardInterrupt--\n(daifu) ")
    terminal.say("print('begun') or __import__('time').sleep(1000)", "begun\n")
    terminal.interrupt("*** KeyboardInterrupt\n(daifu) ")
    assert "[3, '4']" in terminal.say("p batch")


def test_what_a_client_that_has_gone_left_running_can_be_interrupted(place):
    program = place.crash()
    gone = place.attach()
    gone.wait_for("(daifu) ")
    gone.say("print('begun') or __import__('time').sleep(1000)", "begun\n")
    gone.kill()
    terminal = place.attach("--take", program.pid)
    terminal.wait_for("attached]")
    terminal.interrupt("(daifu) ")
    terminal.say("batch[1] = 4")
    terminal.say("retry", "released: retry]")
    assert program.ended()[:2] == (0, MENDED)


def test_a_decision_that_cannot_be_carried_out_is_asked_again_in_the_same_console(place):
    program = place.crash()
    terminal = place.attach()
    terminal.wait_for("(daifu) ")
    terminal.say("jump 1", "not possible here")
    terminal.wait_for("(daifu) ")
    terminal.say("use 7", "released: use 7]")
    assert program.ended()[1] == MENDED


def test_abort_is_the_exception_as_without_us(place):
    plain = place.start(DAIFU_BC_OFF="1")
    ours = place.crash()
    sent = place.command("send", ours.pid, "abort")
    assert (sent.returncode, sent.stdout.splitlines()[-1]) == (0, f"[process {ours.pid}: released: abort]")
    status, out, err = ours.ended()
    assert (status, out, "".join(err.splitlines(True)[1:])) == plain.ended()


def test_its_time_is_up_and_the_exception_goes_on_as_without_us(place):
    plain = place.start(DAIFU_BC_OFF="1")
    ours = place.start(DAIFU_BC_WAIT="0.3")
    status, out, err = ours.ended()
    rest = [line for line in err.splitlines(True) if not line.startswith("daifu_bc: ")]
    assert (status, out, "".join(rest)) == plain.ended()
    assert "nobody came" in err


@pytest.mark.parametrize(
    "environment",
    [
        {"CI": "true"},
        {"PYTEST_CURRENT_TEST": "x"},
        {"DAIFU_BC_ATTACH": "0", "DAIFU_BC_WAIT": "50"},
        {"DAIFU_BC_WAIT": "0"},
    ],
    ids=lambda environment: next(iter(environment)),
)
def test_nothing_waits_where_nobody_will_come(place, environment):
    plain = place.start(DAIFU_BC_OFF="1")
    if "DAIFU_BC_WAIT" not in environment:
        del place.environment["DAIFU_BC_WAIT"]
    assert place.start(**environment).ended() == plain.ended()
    assert not place.runtime.exists()


def test_ps_lists_what_waits(place):
    program = place.crash(RANK="3", SLURM_JOB_ID="77")
    place.crash(DAIFU_BC_NAME="other")
    row, other = place.ps()
    assert (row["v"], row["pid"], row["name"], row["rank"], row["job"]) == (1, program.pid, "train.py", 3, "77")
    assert (row["function"], row["lineno"], row["exception"]) == ("step", 4, "TypeError")
    assert row["memory"] > 2**20 and 0 <= row["waited"] < row["wait"] == 50.0
    assert other["name"] == "other"
    header, *rows = place.command("ps").stdout.splitlines()
    assert header.split()[:3] == ["PID", "NAME", "RANK"] and len(rows) == 2
    assert place.command("attach").stderr.startswith("daifu-bc: 2 crashes wait")
    assert "retry" in place.command("send", "other", "batch[1] = 4", "retry").stdout
    terminal = place.attach("rank", "3")
    terminal.wait_for("(daifu) ")


def test_one_command_mends_all(place):
    programs = [place.crash() for _ in range(3)]
    sent = place.command("send", "all", "batch[1] = 4", "retry")
    assert sent.returncode == 0, sent
    assert [program.ended()[1] for program in programs] == [MENDED] * 3
    assert place.command("ps").stdout == "no crash waits\n"


def test_scripts_talk_json(place):
    program = place.crash()
    lines = [{"type": "complete", "text": "bat", "line": "p bat", "begin": 2, "end": 5}]
    lines += [{"type": "line", "text": text} for text in ("batch[1] = 4", "p batch", "retry")]
    text = "nonsense\n" + "".join(json.dumps(line) + "\n" for line in lines)
    relayed = place.command("attach", "--json", program.pid, input=text)
    answers = [json.loads(line) for line in relayed.stdout.splitlines()]
    kinds = [answer["type"] for answer in answers]
    assert {"welcome", "output", "prompt", "completions", "error", "released"} == set(kinds)
    assert kinds[-1] == "released" and answers[-1]["restart"] == "retry"
    assert next(answer["words"] for answer in answers if answer["type"] == "completions") == ["batch", "batches"][:1]
    assert program.ended()[:2] == (0, MENDED)


def test_a_forked_child_has_a_socket_of_its_own(place):
    after = "sys.stdout.flush()\nif pid: os.waitpid(pid, 0)\n"
    forking = place.start(f"import os\npid = os.fork()\n{place.run_text}{after}")
    forking.wait_until_it_waits()
    forking.wait_until_it_waits()
    assert len({row["pid"] for row in place.ps()}) == 2
    assert place.command("send", "all", "batch[1] = 4", "retry").returncode == 0
    status, out, _ = forking.ended()
    assert (status, out) == (0, MENDED * 2)


def test_the_user_is_notified_with_the_facts(place):
    told = place.folder / "told"
    program = place.crash(DAIFU_BC_NOTIFY=f"cat > {told}.part; mv {told}.part {told}")
    place.command("send", program.pid, f"while not __import__('os').path.exists({str(told)!r}): pass", "abort")
    facts = json.loads(told.read_text())
    assert (facts["pid"], facts["function"], facts["exception"]) == (program.pid, "step", "TypeError")


def test_what_was_done_is_in_the_job_log(place):
    program = place.crash(SLURM_JOB_ID="9")
    place.command("send", program.pid, "batch[1] = 4", "retry")
    program.ended()
    (row,) = [json.loads(line) for line in place.command("log", "--json", "--job", "9").stdout.splitlines()]
    assert (row["pid"], row["function"], row["exception"], row["done"]) == (program.pid, "step", "TypeError", "retry")
    assert row["seconds_waiting"] > 0 and row["seconds_restoring"] > 0
    assert "-> retry after" in place.command("log").stdout


def test_a_healthy_process_is_paused_from_elsewhere(place):
    program = place.start(
        """
import daifu_bc
@daifu_bc.protect
def loop():
    print("RUNS", flush=True)
    going = True
    while going:
        pass
    return "left"
print(loop())
""",
        DAIFU_BC_PAUSE_SIGNAL="USR2",
    )
    assert program.process.stdout.readline() == "RUNS\n"
    terminal = place.attach(program.pid)
    assert "paused" in terminal.wait_for("(daifu) ")
    terminal.say("going = False")
    terminal.say("c", "released: ")
    assert program.ended()[:2] == (0, "left\n")


def test_a_process_that_cannot_be_paused_gets_no_signal(place):
    program = place.start("import sys; print('RUNS', flush=True); sys.stdin.buffer.read(); input()")
    assert program.process.stdout.readline() == "RUNS\n"
    assert "cannot be paused" in place.command("attach", program.pid).stderr
