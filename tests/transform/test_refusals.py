"""Code that does not verify is not installed; code that cannot be protected is left as it is, with the reason."""

from __future__ import annotations

import types

import pytest

import daifu_bc
from daifu_bc.errors import CannotProtect, InternalError
from daifu_bc.interpreter import opcodes, tables
from daifu_bc.transform import Settings, protect, protect_code, verify, writer
from daifu_bc.transform.registry import protection_of, skipped


def program(f):
    for item in f:
        with item as entered:
            f(f(entered), 1)


def strange_code():
    """Code of no compiler: two paths with different value stacks."""

    def strange(a):
        if a:
            strange(1)
        return a

    code = strange.__code__
    raw = bytearray(code.co_code)
    raw[2 * max(n for n in range(len(raw) // 2) if raw[2 * n] == opcodes.POP_TOP)] = opcodes.NOP
    return code.replace(co_code=bytes(raw))


def test_code_of_no_compiler_cannot_be_protected():
    with pytest.raises(CannotProtect):
        protect_code(strange_code(), Settings())
    function = types.FunctionType(strange_code(), {}, closure=(types.CellType(),))
    with pytest.raises(CannotProtect):
        daifu_bc.protect(function)


def test_nested_code_that_cannot_be_protected_is_left_and_listed():
    outer = compile("def inner(a):\n return inner(a)\nresult = [inner]\n", "<text>", "exec")
    strange = strange_code()
    consts = tuple(strange if isinstance(const, types.CodeType) else const for const in outer.co_consts)
    made = protect_code(outer.replace(co_consts=consts), Settings())
    assert protection_of(made) is not None
    assert [const for const in made.co_consts if const is strange or const == strange]
    found = [one for one in skipped() if one.qualname == strange.co_qualname and one.filename == strange.co_filename]
    assert found and "value stacks" in found[0].reason


def test_code_that_does_not_verify_is_not_installed(monkeypatch):
    def broken(*_args):
        raise InternalError("generated code does not verify: a fault of ours")

    monkeypatch.setattr(writer, "verify", broken)

    def function(f):
        return f(1)

    code = function.__code__
    with pytest.raises(daifu_bc.DaifuError):
        daifu_bc.protect(function)
    assert function.__code__ is code
    assert any(one.qualname == code.co_qualname for one in skipped())


def test_a_fault_of_ours_in_nested_code_leaves_that_code_alone(monkeypatch):
    real = protect.flow_of

    def broken(ins):
        if ins.code.co_name == "inner":
            raise LookupError("a fault of ours")
        return real(ins)

    monkeypatch.setattr(protect, "flow_of", broken)

    def outer(f):
        def inner():
            return f(1)

        return inner(), f(2)

    daifu_bc.protect(outer, scope="nested")
    assert outer(abs) == (1, 2)
    assert any("a fault of ours" in one.reason for one in skipped())


def twisted(change):
    """Verify protected code that was changed behind the assembler's back."""
    seen = []
    real = verify.verify

    def catching(code, *rest):
        seen.append((code, rest))
        real(code, *rest)

    writer.verify = catching
    try:
        protect_code(program.__code__.replace(), Settings())
    finally:
        writer.verify = real
    code, rest = seen[-1]
    real(code, *rest)
    verify.verify(change(code), *rest)


def test_a_handler_that_is_too_deep_does_not_verify():
    def deeper(code):
        rows = tables.parse_exception_table(code.co_exceptiontable)
        rows = [(a, b, to, depth + (depth == 1), lasti) for a, b, to, depth, lasti in rows]
        return code.replace(co_exceptiontable=tables.build_exception_table(rows))

    with pytest.raises(InternalError, match="does not verify"):
        twisted(deeper)


def test_too_small_a_stack_does_not_verify():
    with pytest.raises(InternalError, match="value stack too deep"):
        twisted(lambda code: code.replace(co_stacksize=2))


def test_other_instructions_than_written_do_not_verify():
    def other(code):
        raw = bytearray(code.co_code)
        raw[2 * max(n for n in range(len(raw) // 2) if raw[2 * n] == opcodes.POP_TOP)] = opcodes.NOP
        return code.replace(co_code=bytes(raw))

    with pytest.raises(InternalError, match="does not verify"):
        twisted(other)
