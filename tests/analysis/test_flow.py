"""Symbolic execution: the depth that the compiler says, the slots that belong to loops, `with` and handlers."""

from __future__ import annotations

import contextlib
import inspect
import json.decoder
import tempfile
from types import CodeType

import pytest

from daifu_bc.analysis import values
from daifu_bc.analysis.contexts import kinds_below
from daifu_bc.analysis.flow import UNREACHED, flow_of
from daifu_bc.analysis.instructions import decode
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes


def code_objects(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from code_objects(const)


def flow(function):
    return flow_of(decode(function.__code__))


def at_call(function, name):
    """(flow, index of the call of `name`): the last call on the line where `name` is loaded."""
    found = flow(function)
    ins = found.instructions
    names = ins.code.co_names
    loads = [
        index
        for index, op in enumerate(ins.ops)
        if op == opcodes.LOAD_GLOBAL and names[ins.args[index] >> 1] == name
    ]
    index = loads[0]
    while ins.ops[index] != opcodes.CALL:
        index += 1
    return found, index


def crash():
    """Stands for what fails."""


def items():
    """Stands for what is iterated over."""


manager = contextlib.nullcontext()


@pytest.mark.parametrize("module", [contextlib, inspect, json.decoder, tempfile], ids=lambda module: module.__name__)
def test_depths_fit_the_compilers_own_stack_size(module):
    for code in code_objects(compile(inspect.getsource(module), module.__file__, "exec")):
        found = flow_of(decode(code))
        for index, stack in enumerate(found.before):
            if stack is UNREACHED:
                continue
            depth = values.depth_of(stack)
            op, arg = found.instructions.ops[index], found.instructions.args[index]
            assert 0 <= values.owned_of(stack) <= depth <= code.co_stacksize
            assert depth >= opcodes.pops(op, arg)
            assert 0 <= own_depth(found, index) <= depth


@pytest.mark.parametrize("module", [contextlib, json.decoder], ids=lambda module: module.__name__)
def test_handlers_are_never_deeper_than_the_stack(module):
    for code in code_objects(compile(inspect.getsource(module), module.__file__, "exec")):
        found = flow_of(decode(code))
        for index, stack in enumerate(found.before):
            row = found.cover[index]
            if stack is not UNREACHED and row >= 0 and opcodes.RAISES[found.instructions.ops[index]]:
                assert found.instructions.rows[row][3] <= values.depth_of(stack)


ITER = "i" + "?" * (opcodes.ITER_SLOTS - 1)  # its second slot, where there is one


def kinds(function):
    found, index = at_call(function, "crash")
    return kinds_below(found, index).replace("0", "?")


def test_outside_of_blocks_nothing_survives():
    def program(a):
        return a, crash()

    assert kinds(program) == ""


def test_iterators_of_the_loops_around_survive():
    def program():
        for a in items():
            for b in items():
                print(a, b, crash())

    assert kinds(program) == ITER * 2


def test_exits_of_the_with_blocks_around_survive():
    def program():
        with manager:
            return crash()

    assert kinds(program)[-1:] in ("x", "s")


def test_exception_state_survives_in_a_handler():
    def program():
        try:
            print()
        except ValueError:
            crash()

    assert kinds(program).startswith("p") or "p" in kinds(program)


def test_half_built_containers_survive_in_an_inlined_comprehension():
    def program():
        return [crash() for a in items()]

    found = kinds(program)
    if found:  # inlined: saved name, iterator, list
        assert "i" in found and "v" in found


def test_temporaries_do_not_survive():
    def program(a):
        for b in items():
            a[b] = [a, {b: (a.c, crash())}]

    assert kinds(program) == ITER


def test_slots_of_differing_values_are_joined():
    def program(a, b, c):
        x = crash(b if a else c, a)
        return x, a, b, c

    found, index = at_call(program, "crash")
    stack = values.bottom_up(found.before[index])
    assert any(value.kind == values.JOIN for value in stack)


def test_unreached_code_has_no_stack():
    def program():
        while True:
            crash()

    found = flow(program)
    reached = [stack is not UNREACHED for stack in found.before]
    assert all(reached[: len(reached) // 2])


def test_code_with_two_depths_at_one_place_is_refused():
    def program(a):
        if a:
            crash()
        return a

    code = program.__code__
    raw = bytearray(code.co_code)
    ins = decode(code)
    pop = max(index for index, op in enumerate(ins.ops) if op == opcodes.POP_TOP)
    raw[ins.offset_of(pop)] = opcodes.NOP
    with pytest.raises(CannotProtect, match="different value stacks"):
        flow_of(decode(code.replace(co_code=bytes(raw))))
