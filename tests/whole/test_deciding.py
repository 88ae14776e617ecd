"""Who decides: the nearest frame with a policy, the default policy, the console; what goes wrong is a note."""

from __future__ import annotations

import threading

import pytest

import daifu_bc
from daifu_bc import Abort, At, Jump, NextIteration, Retry, Return, Skip, Use, decide
from whole.crash_at import Boom, Out, caught_from, notes_of


def named(name, log, restart=None):
    """A policy that logs that it was asked."""

    def policy(crash):
        log.append(name)
        return restart

    return policy


def nested_entries(log, inner=None, outer=None):
    """A protected function that calls another one; both have policies of their own."""
    out = Out("x")

    def called():
        return out("x")

    def program():
        return called()

    daifu_bc.protect(called, on_crash=named("inner", log, inner), scope="nested")
    daifu_bc.protect(program, on_crash=named("outer", log, outer), scope="nested")
    return program


def test_the_nearest_policy_decides():
    log = []
    assert nested_entries(log, inner=Retry(), outer=Abort())() == "x"
    assert log == ["inner"]


def test_a_frame_without_a_policy_is_passed():
    log, out = [], Out("x")

    def called():
        return out("x")

    def program():
        return called()

    daifu_bc.protect(called, scope="nested")
    daifu_bc.protect(program, on_crash=named("outer", log, Retry()), scope="nested")
    assert program() == "x"
    assert log == ["outer"]


def test_the_default_policy_is_asked_after_it(monkeypatch):
    log = []
    monkeypatch.setattr(decide, "_console", named("console", log))
    daifu_bc.set_default_policy(named("default", log, Retry()))
    assert nested_entries(log)() == "x"
    assert log == ["inner", "default"]


def test_the_console_is_asked_last(monkeypatch):
    log = []
    monkeypatch.setattr(decide, "_console", named("console", log, Retry()))
    daifu_bc.set_default_policy(named("default", log))
    assert nested_entries(log)() == "x"
    assert log == ["inner", "default", "console"]


def test_a_policy_that_passes_on_is_asked_once_for_each_frame_that_is_left():
    places = []

    def program():
        def inner():
            return on_purpose()

        def on_purpose():
            raise Boom  # is presented at the call that led to it

        return inner()

    def policy(crash):
        places.append(crash.function.rpartition(".")[2])

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is Boom
    assert places == ["inner", "program"]


def test_the_default_policy_alone_decides_for_entries_without_one():
    out = Out("x")

    def program():
        return out("x")

    daifu_bc.protect(program, scope="nested")
    assert daifu_bc.set_default_policy(lambda crash: Retry()) is None
    assert program() == "x"


def test_setting_the_default_policy_gives_back_the_one_before():
    def first(crash):
        return None

    daifu_bc.set_default_policy(first)
    assert daifu_bc.set_default_policy(None) is first


def test_a_policys_exception_is_a_note_and_the_next_is_asked():
    out = Out("x")

    def program():
        return out("x")

    notes = []

    def default(crash):
        notes.append(notes_of(crash.exception))
        return Retry()

    def policy(crash):
        raise LookupError("the policy's own")

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    daifu_bc.set_default_policy(default)
    assert program() == "x"
    assert "the policy's own" in notes[0] and "LookupError" in notes[0]


def test_a_policy_may_crash_in_protected_code_and_nobody_is_asked_about_that():
    out, asked = Out("x"), []

    def helper():
        return {}["missing"]

    def program():
        return out("x")

    def policy(crash):
        asked.append(type(crash.exception))
        return helper()

    daifu_bc.protect(helper, on_crash=lambda crash: Use(Retry()), scope="nested")
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is Boom
    assert asked == [Boom]


@pytest.mark.parametrize("junk", [1, "retry", Retry, At(0, None), [Retry()]], ids=repr)
def test_what_is_no_restart_is_a_note_and_the_next_is_asked(junk):
    out, log = Out("x"), []

    def program():
        return out("x")

    def default(crash):
        log.append(notes_of(crash.exception))
        return Retry()

    daifu_bc.protect(program, on_crash=lambda crash: junk, scope="nested")
    daifu_bc.set_default_policy(default)
    assert program() == "x"
    assert log[0].startswith("daifu_bc: ")
    assert "internal error" not in log[0]


@pytest.mark.parametrize(
    "refused",
    [NextIteration(), NextIteration(-1), Jump(1), Jump("x"), At(5, Retry()), At(-1, Retry()), At("x", Retry())],
    ids=str,
)
def test_a_restart_that_cannot_be_is_a_note_and_the_next_is_asked(refused):
    out, log = Out("x"), []

    def program():
        return out("x")

    def default(crash):
        log.append((notes_of(crash.exception), crash.can(refused)))
        return Retry()

    daifu_bc.protect(program, on_crash=lambda crash: refused, scope="nested")
    daifu_bc.set_default_policy(default)
    assert program() == "x"
    note, reason = log[0]
    assert reason and reason in note


def test_can_says_none_for_what_is_possible():
    out, answers = Out("x"), []

    def program():
        for _ in range(1):
            value = out("x")
        return value

    def policy(crash):
        possible = [Retry(), Skip(), NextIteration(), Use(1), Return(1), Abort(), At(0, Retry()), Jump(crash.lineno)]
        answers.extend(crash.can(restart) for restart in possible)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program()
    assert answers == [None] * 8


def test_it_runs_in_the_crashed_thread():
    out, seen = Out("x"), []

    def program():
        return out("x")

    def policy(crash):
        seen.append(threading.current_thread())
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    thread = threading.Thread(target=program, daemon=True)
    thread.start()
    thread.join()
    assert seen == [thread]


def test_it_runs_in_the_crashed_frames_context():
    import contextvars

    mode, seen = contextvars.ContextVar("mode", default="off"), []
    out = Out("x")

    class Mode:
        def __enter__(self):
            self.token = mode.set("on")

        def __exit__(self, *error):
            mode.reset(self.token)

    def program():
        with Mode():
            return out("x")

    def policy(crash):
        seen.append(mode.get())
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == "x"
    assert seen == ["on"]
    assert mode.get() == "off"


def test_an_exception_that_refuses_notes_goes_out_all_the_same():
    class Bare(Exception):
        def add_note(self, note):
            raise TypeError

    def program():
        return Out("x", Bare)("x")

    daifu_bc.protect(program, on_crash=lambda crash: NextIteration(), scope="nested")
    assert type(caught_from(program)) is Bare


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_policy_that_is_told_to_stop_ends_the_run(stop):
    def program():
        return Out("x")("x")

    def policy(crash):
        raise stop

    log = []
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    daifu_bc.set_default_policy(named("default", log, Retry()))
    try:
        program()
    except BaseException as error:
        assert type(error) is Boom or type(error) is stop
    assert log == []
