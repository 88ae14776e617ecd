"""Protected code that was stored and loaded: the same code, and its crashes are recovered."""

from __future__ import annotations

import marshal
import subprocess
import sys
import types
from pathlib import Path

import pytest

import daifu_bc
from daifu_bc import Retry
from daifu_bc.transform import (
    Settings,
    dump_protected,
    load_protected,
    original_of,
    protect_code,
    protection_of,
    registry,
    skipped,
)
from whole.crash_at import Boom, Out, caught_from

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.py"))
TEXT = """
def program(out):
    class Made:
        def method(self):
            return [out(item) for item in (1, 2)]
    def items():
        with contextlib.nullcontext():
            for item in Made().method():
                yield out(str(item))
    return list(items())
"""


def loaded(text, settings=Settings()):
    """The code of a module, through bytes."""
    return load_protected(dump_protected(protect_code(compile(text, "<cached>", "exec"), settings)))


def nested(code):
    return [const for const in code.co_consts if isinstance(const, types.CodeType)]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_is_loaded_is_what_was_stored(path):
    try:
        code = compile(path.read_text(), str(path), "exec")
    except SyntaxError:
        pytest.skip("its syntax is of a newer Python")
    for keep in ("calls", "all"):
        made = protect_code(code, Settings(keep=keep))
        again = load_protected(dump_protected(made), code)
        assert again == made
        pending = [(made, again)]
        while pending:
            one, other = pending.pop()
            pending += zip(nested(one), nested(other), strict=True)
            mine, theirs = protection_of(one), protection_of(other)
            assert (mine is None) == (theirs is None)
            if mine is not None:
                for name in ("settings", "starts", "origins", "positions_of", "labels_of", "after_of", "blocks"):
                    assert getattr(mine, name) == getattr(theirs, name), name
                assert original_of(other) == original_of(one)


@pytest.mark.parametrize("where", [1, "2"])
@pytest.mark.parametrize("keep", ["calls", "all"])
def test_crashes_in_loaded_code_are_recovered(where, keep):
    namespace = {"contextlib": __import__("contextlib")}
    exec(loaded(TEXT, Settings(keep=keep)), namespace)
    program, out = namespace["program"], Out(where)
    entry = daifu_bc.protect(lambda: program(out), on_crash=lambda crash: Retry(), scope="nested")
    assert entry() == ["1", "2"]
    assert out.log == [1, 2, "1", "2"]


def test_loaded_functions_can_be_entries_and_get_their_own_code_back():
    namespace = {"contextlib": __import__("contextlib")}
    exec(loaded(TEXT), namespace)
    program = namespace["program"]
    before = program.__code__
    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Out(1)) == ["1", "2"]
    daifu_bc.unprotect(program)
    assert program.__code__ == original_of(before)
    assert type(caught_from(program, Out(1))) is Boom


def test_what_does_not_belong_here_is_not_loaded():
    code = compile(TEXT, "<cached>", "exec")
    data = dump_protected(protect_code(code, Settings()))
    assert load_protected(data, code) is not None
    assert load_protected(data, compile(TEXT + "\nmore = 1", "<cached>", "exec")) is None
    assert load_protected(data[:-1]) is None
    assert load_protected(b"") is None
    for position in (0, 9, 14, 30, 33, len(data) // 2, len(data) - 1):
        assert load_protected(data[:position] + bytes((data[position] ^ 1,)) + data[position + 1 :]) is None


def test_reasons_for_what_was_skipped_are_loaded_too(monkeypatch):
    original = registry.original_of

    def odd(code, settings, leave=None):
        if code.co_name == "method":
            raise daifu_bc.CannotProtect("odd")
        return protect(code, settings, leave)

    from daifu_bc.transform import protect as room

    protect = room.protect_code
    monkeypatch.setattr(room, "protect_code", odd)
    code = compile(TEXT.replace("program", "skipping"), "<skipping>", "exec")
    data = dump_protected(odd(code, Settings()))
    monkeypatch.setattr(registry, "_skipped", {})
    assert not skipped()
    assert load_protected(data) is not None
    assert [(one.qualname, one.reason) for one in skipped()] == [("skipping.<locals>.Made.method", "odd")]
    assert original(code) is code


def test_another_process_loads_it(tmp_path):
    namespace_text = "def program(call):\n    return [call(1), call(2)]\n"
    path = tmp_path / "cached"
    path.write_bytes(dump_protected(protect_code(compile(namespace_text, "<cached>", "exec"), Settings())))
    script = f"""
import daifu_bc
from daifu_bc.transform import load_protected
exec(load_protected(open({str(path)!r}, "rb").read()))
failed = []
def call(x):
    if x == 2 and not failed:
        failed.append(x)
        raise ValueError
    return x
print(daifu_bc.protect(lambda: program(call), on_crash=lambda crash: daifu_bc.Retry(), scope="nested")())
"""
    root = str(Path(daifu_bc.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[1, 2]\n", done.stderr


def test_a_record_that_was_dropped_is_made_again(monkeypatch):
    monkeypatch.setattr(registry, "MOST_HELD", 1)
    first, second = (protect_code(compile(TEXT + f"a = {n}", "<held>", "exec"), Settings()) for n in (1, 2))
    assert registry._records.get(first).protection is None
    assert registry._records.get(second).protection is not None
    assert protection_of(first).positions_of == protection_of(second).positions_of


def test_marshalled_code_that_nobody_registered_is_known():
    made = protect_code(compile(TEXT, "<plain>", "exec"), Settings())
    again = marshal.loads(marshal.dumps(made))
    assert protection_of(again).origins == protection_of(made).origins


def test_code_that_was_changed_is_not_ours_and_that_is_said():
    def changed(x):
        return x + 1

    def other(x):
        return x - 1

    daifu_bc.protect(changed, scope="nested")
    theirs = protect_code(other.__code__, Settings())
    changed.__code__ = changed.__code__.replace(co_code=theirs.co_code)
    assert not daifu_bc.is_protected(changed)
    assert protection_of(changed.__code__) is None
    assert "changed after it was protected" in next(one.reason for one in skipped() if "changed" in one.qualname)
    assert changed(3) == 2


def test_a_copy_with_another_name_is_asked_as_before():
    def program(out):
        return [out(1), out(2)]

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    program.__code__ = program.__code__.replace(co_name="zz")
    assert daifu_bc.is_protected(program)
    out = Out(2)
    assert program(out) == [1, 2]
    assert out.log == [1, 2]
    daifu_bc.unprotect(program)
    assert not daifu_bc.is_protected(program)
    assert type(caught_from(program, Out(2))) is Boom
