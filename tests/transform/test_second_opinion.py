"""Protected code is read the same by an independent library, and says the truth about itself."""

from __future__ import annotations

import ast
import functools
import inspect
import json
import textwrap
from types import CodeType

import pytest

import daifu_bc
from daifu_bc.interpreter import opcodes
from daifu_bc.transform import Settings, protect_code, protection_of
from daifu_bc.transform.second_opinion import check

MODULES = [ast, functools, inspect, json, json.decoder, textwrap]


def code_objects(code: CodeType):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from code_objects(const)


@pytest.mark.parametrize("keep", ["calls", "all"])
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_bytecode_package_agrees(module, keep):
    source = inspect.getsource(module)
    for code in code_objects(protect_code(compile(source, module.__file__, "exec"), Settings(keep=keep))):
        check(code)
        protection = protection_of(code)
        if protection is not None:
            _says_the_truth(code, protection)


def _says_the_truth(code, protection):
    original, ins = protection.original, protection.flow.instructions
    assert code.co_varnames[: code.co_argcount] == original.co_varnames[: original.co_argcount]
    assert (code.co_flags, code.co_qualname) == (original.co_flags, original.co_qualname)
    positions = list(code.co_positions())
    for index, op in enumerate(ins.ops):
        unit = protection.starts[protection.positions_of[index]]
        assert protection.index_at(2 * unit) == index
        assert positions[unit] == protection.positions[index]
        if op not in opcodes.BORROWING_LOADS and protection.settings.keep == "calls" and op != opcodes.GET_ITER:
            size = protection.starts[protection.positions_of[index] + 1] - unit
            prefixes = size - 1 - opcodes.CACHES[op]
            assert code.co_code[2 * (unit + prefixes)] == op or op in opcodes.PAIRS


def test_protecting_is_seen_by_nobody_until_something_raises():
    def program(a, /, b: int = 2, *args, c=3, **kwargs) -> str:
        """Its text."""
        return f"{a}{b}{args}{c}{kwargs}"

    before = inspect.signature(program), program.__doc__, program(1, 5, 6, d=7)
    assert daifu_bc.protect(program, scope="nested") is program
    assert (inspect.signature(program), program.__doc__, program(1, 5, 6, d=7)) == before
    assert "return f" in inspect.getsource(program)
