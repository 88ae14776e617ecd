"""Decoding: instructions, arguments and jumps are those that dis shows."""

from __future__ import annotations

import argparse
import dis
import inspect
import typing
from types import CodeType

import pytest

from daifu_bc.analysis.instructions import decode
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes


def code_objects(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from code_objects(const)


def of_module(module):
    return code_objects(compile(inspect.getsource(module), module.__file__, "exec"))


def shown(code):
    """What dis shows, without prefixes."""
    return [one for one in dis.get_instructions(code) if one.opcode != opcodes.EXTENDED_ARG and one.opname != "CACHE"]


@pytest.mark.parametrize("module", [argparse, inspect, typing], ids=lambda module: module.__name__)
def test_instructions_are_those_of_dis(module):
    for code in of_module(module):
        ins, theirs = decode(code), shown(code)
        assert ins.ops == [one.opcode for one in theirs]
        assert ins.args == [one.arg or 0 for one in theirs]
        assert [ins.offset_of(index) for index in range(len(ins.ops))] == [one.offset for one in theirs]


@pytest.mark.parametrize("module", [argparse, inspect], ids=lambda module: module.__name__)
def test_jumps_lead_where_dis_says(module):
    for code in of_module(module):
        ins, theirs = decode(code), shown(code)
        for index, one in enumerate(theirs):
            if one.opcode in opcodes.PLAIN_JUMPS:
                assert ins.offset_of(ins.targets[index]) in (one.argval, one.argval + 2, one.argval + 4, one.argval + 6)
            if one.opcode not in opcodes.JUMPS | opcodes.REFERS_BACK:
                assert ins.targets[index] == -1


def test_every_byte_belongs_to_an_instruction():
    for code in of_module(inspect):
        ins = decode(code)
        for index in range(len(ins.ops)):
            end = ins.starts[index + 1] if index + 1 < len(ins.starts) else ins.end
            for unit in (ins.starts[index], end - 1):
                assert ins.index_at(2 * unit) == index


def test_prefixes_are_part_of_their_instruction():
    names = [f"v{n}" for n in range(300)]
    text = "def f():\n" + "".join(f" {name} = {n}\n" for n, name in enumerate(names)) + " return v299\n"
    namespace = {}
    exec(text, namespace)
    ins = decode(namespace["f"].__code__)
    prefixed = [index for index, arg in enumerate(ins.args) if arg > 255]
    assert prefixed
    for index in prefixed:
        assert ins.offset_of(index) == 2 * ins.starts[index] + 2
        assert ins.index_at(2 * ins.starts[index]) == ins.index_at(ins.offset_of(index)) == index


def test_exception_tables_are_counted_in_instructions():
    def program():
        try:
            print()
        finally:
            print(1)

    ins = decode(program.__code__)
    for start, end, target, _depth, _lasti in ins.rows:
        assert 0 <= start < end <= len(ins.ops)
        assert ins.ops[target] == opcodes.PUSH_EXC_INFO or ins.ops[target] == opcodes.COPY


def test_code_of_no_compiler_is_refused():
    def program():
        for _ in ():
            pass

    code = program.__code__
    raw = bytearray(code.co_code)
    at = next(one.offset for one in shown(code) if one.opcode in opcodes.BACKWARD_JUMPS)
    raw[at + 1] -= 1  # now it leads behind FOR_ITER's opcode, into its cache
    with pytest.raises(CannotProtect):
        decode(code.replace(co_code=bytes(raw)))
