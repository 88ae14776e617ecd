"""Whatever goes wrong inside of us, the user's own exception goes out; what is off or not ours is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import daifu_bc
from daifu_bc import Retry, decide, recovery
from daifu_bc.restarts import log
from daifu_bc.resume import check
from whole.crash_at import Boom, Manager, Out, caught_from, notes_of

ROOT = Path(daifu_bc.__file__).parent.parent

STAGES = [
    (recovery, "living_stack"),
    (recovery, "handled_by"),
    (recovery, "left_alone"),
    (recovery, "presented"),
    (decide, "decide"),
    (decide, "_count_attempt"),
    (recovery, "plan"),
    (recovery, "take_snapshot"),
    (recovery, "build_procedure"),
    (check, "can_begin"),
    (check, "code_to_enter"),
    (check, "apply_edits"),
    (log, "record"),
]


def broken(*_args, **_settings):
    raise LookupError("a fault of ours")


@pytest.mark.parametrize(("room", "stage"), STAGES, ids=lambda value: getattr(value, "__name__", value))
def test_a_fault_of_ours_lets_the_users_exception_out_with_a_note(room, stage, monkeypatch):
    out = Out("x")

    def program():
        with Manager(out):
            try:
                return [out("a"), out("x")]
            finally:
                out("finally")

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    monkeypatch.setattr(room, stage, broken)
    error = caught_from(program)
    monkeypatch.undo()
    assert type(error) is Boom
    assert "internal error" in notes_of(error) and "a fault of ours" in notes_of(error)
    assert out.log == ["enter m", "a", "finally", "exit m Boom"]
    out.where = "x"
    out.log.clear()
    assert program() == ["a", "x"]  # and the next crash is asked again


@pytest.mark.parametrize("stage", ["plan", "take_snapshot"])
def test_in_a_generator_and_in_a_coroutine_too(stage, monkeypatch):
    def items(out):
        yield out("a")
        yield out("x")

    async def coroutine(out):
        return out("x")

    for function in (items, coroutine):
        daifu_bc.protect(function, on_crash=lambda crash: Retry(), scope="nested")
    monkeypatch.setattr(recovery, stage, broken)
    error = caught_from(list, items(Out("x")))
    assert type(error) is Boom and "a fault of ours" in notes_of(error)
    error = caught_from(coroutine(Out("x")).send, None)
    assert type(error) is Boom and "a fault of ours" in notes_of(error)


def test_the_programs_own_handlers_still_handle_it_then(monkeypatch):
    def program(out):
        try:
            return out("x")
        except Boom as error:
            return error

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested", always=(Boom,))
    monkeypatch.setattr(recovery, "_decide", broken)
    assert type(program(Out("x"))) is Boom


@pytest.mark.parametrize(
    "error",
    [SystemExit, KeyboardInterrupt, GeneratorExit],
)
def test_exceptions_that_end_programs_are_left_alone(error):
    asked = []

    def program():
        return Out("x", error)("x")

    daifu_bc.protect(program, on_crash=asked.append, scope="nested")
    with pytest.raises(error):
        program()
    assert not asked


def test_exceptions_that_the_program_handles_are_left_alone():
    asked = []

    class Lazy:
        @property
        def missing(self):
            raise AttributeError("missing")

        def __getattr__(self, name):
            raise AttributeError(name)

        def __getitem__(self, key):
            if key > 2:
                raise IndexError
            return key

        def __iter__(self):
            return iter([])

    class Old:
        def __getitem__(self, key):
            if key > 2:
                raise IndexError
            return key

    def program():
        try:
            {}["k"]
        except (ValueError, LookupError):
            pass
        return getattr(Lazy(), "missing", 1), hasattr(Lazy(), "other"), list(Old()), 5 in Old(), [*Lazy()]

    daifu_bc.protect(program, on_crash=asked.append, scope="nested")
    daifu_bc.protect(Lazy, scope="nested")
    daifu_bc.protect(Old, scope="nested")
    assert program() == (1, False, [0, 1, 2], False, [])
    assert not asked


def test_keyboard_interrupt_is_a_crash_where_that_is_asked_for():
    def program(out):
        return out("x")

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested", always=(KeyboardInterrupt,))
    assert program(Out("x", KeyboardInterrupt)) == "x"


def run_script(text, **environment):
    script = textwrap.dedent(text)
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )


SCRIPT = """
    import daifu_bc
    left = [0]

    @daifu_bc.protect(on_crash=lambda crash: daifu_bc.Redo())
    def program():
        1 / value()
        return "recovered"

    def value():
        return left.pop() if left else 1

    print(daifu_bc.is_protected(program), program())
"""


def test_it_is_on_unless_it_is_turned_off():
    done = run_script(SCRIPT, DAIFU_BC_OFF="")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True recovered\n", "")
    assert run_script(SCRIPT, DAIFU_BC_OFF="0").stdout == "True recovered\n"


def test_the_environment_turns_everything_off():
    done = run_script(SCRIPT, DAIFU_BC_OFF="1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "ZeroDivisionError" in done.stderr and "daifu_bc" not in done.stderr.splitlines()[-1]


def test_without_a_terminal_and_a_policy_the_exception_goes_out_at_once():
    done = run_script(SCRIPT.replace("(on_crash=lambda crash: daifu_bc.Redo())", ""))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_builtins_cannot_be_protected_and_that_is_said():
    for target in (len, [].append, 5, "text"):
        with pytest.raises(daifu_bc.CannotProtect):
            daifu_bc.protect(target)
    assert issubclass(daifu_bc.CannotProtect, daifu_bc.DaifuError)


def test_recoveries_are_on_record():
    def program(out):
        for i in range(2):
            out(i)

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    program(Out(1))
    recovery_ = daifu_bc.recoveries()[-1]
    assert recovery_.function == program.__qualname__
    assert recovery_.lineno == program.__code__.co_firstlineno + 2
    assert (recovery_.exception, recovery_.message, recovery_.restart) == ("Boom", "1", "retry")
    assert recovery_.process == os.getpid()
    assert recovery_.seconds_waiting >= 0 and recovery_.seconds_restoring >= 0
