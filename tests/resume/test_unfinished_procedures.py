"""Unfinished procedures as code objects: what is in front, what is shared, what they keep alive."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

import daifu_bc
from daifu_bc import Retry
from daifu_bc.interpreter import tables
from daifu_bc.transform.registry import protection_of
from daifu_bc.transform.second_opinion import check


class Boom(Exception):
    pass


def entry(function, **settings):
    daifu_bc.protect(function, on_crash=lambda crash: Retry(), scope="nested", **settings)
    return function


def crashing(seen):
    """Fails the first time; the second time it notes the code of the frame that calls it."""
    failed = []

    def call(*args):
        if not failed:
            failed.append(1)
            raise Boom
        seen.append(sys._getframe(1).f_code)
        return args

    return call


def procedure_of(program, **settings):
    """The unfinished procedure that a program was resumed in."""
    seen = []
    entry(program, **settings)(crashing(seen))
    return seen[0], program.__code__


def in_a_loop(call):
    out = []
    for item in range(3):
        with_cell = item
        out.append((lambda: with_cell)() + len(call(item, [item])))
    return out


@pytest.mark.parametrize("keep", ["calls", "all"])
def test_it_is_a_prologue_in_front_of_untouched_code(keep):
    procedure, protected = procedure_of(in_a_loop, keep=keep)
    record = protection_of(procedure)
    assert record.base is protected
    assert procedure.co_code[2 * record.shift :] == protected.co_code
    assert record.shift % 32 == 0
    assert procedure.co_consts[: len(protected.co_consts)] == protected.co_consts
    assert procedure.co_names == protected.co_names
    daifu_bc.unprotect(in_a_loop)


def test_its_exception_table_is_that_of_the_function_moved():
    procedure, protected = procedure_of(in_a_loop)
    shift = protection_of(procedure).shift
    rows = tables.parse_exception_table(procedure.co_exceptiontable)
    moved = tables.shift_exception_table(tables.parse_exception_table(protected.co_exceptiontable), shift)
    assert [row for row in rows if row[0] >= shift] == moved
    daifu_bc.unprotect(in_a_loop)


def test_it_has_the_functions_name_file_line_and_local_slots():
    procedure, protected = procedure_of(in_a_loop)
    for name in "co_name co_qualname co_filename co_firstlineno co_varnames co_cellvars co_freevars co_nlocals".split():
        assert getattr(procedure, name) == getattr(protected, name)
    assert procedure.co_argcount == 1  # the first argument stays the first argument: super() looks at it
    daifu_bc.unprotect(in_a_loop)


def test_its_lines_are_those_of_the_function():
    procedure, protected = procedure_of(in_a_loop)
    shift = protection_of(procedure).shift
    assert list(procedure.co_positions())[shift:] == list(protected.co_positions())
    daifu_bc.unprotect(in_a_loop)


def test_offsets_lead_back_to_the_original():
    procedure, _ = procedure_of(in_a_loop)
    record = protection_of(procedure)
    ins = record.flow.instructions
    for index in range(len(ins.ops)):
        offset = 2 * (record.shift + record.starts[record.positions_of[index]])
        assert record.to_original(offset) == ins.offset_of(index)
    assert record.index_at(2 * record.recipe) == record.resumed
    daifu_bc.unprotect(in_a_loop)


def test_the_bytecode_package_reads_it_and_finds_its_stack_large_enough():
    procedure, _ = procedure_of(in_a_loop)
    check(procedure)
    daifu_bc.unprotect(in_a_loop)


def test_it_keeps_no_value_alive():
    """What it restores comes out of a list that is emptied by running: code objects live long."""

    class Tensor:
        pass

    seen, codes = [], []

    def program(call):
        tensor = Tensor()
        seen.append(weakref.ref(tensor))
        for _ in [tensor]:
            call(tensor)
            codes.append(sys._getframe().f_code)

    gc.disable()
    try:
        entry(program)(crashing([]))
        assert [reference() for reference in seen] == [None]
    finally:
        gc.enable()
    leftovers = [const for const in codes[0].co_consts if isinstance(getattr(const, "__self__", None), list)]
    assert [const.__self__ for const in leftovers] == [[]]


def test_its_record_goes_with_it():
    seen = []
    entry(in_a_loop)(crashing(seen))
    record = weakref.ref(protection_of(seen[0]).original), weakref.ref(seen[0])
    del seen
    gc.collect()
    assert record[1]() is None
    daifu_bc.unprotect(in_a_loop)


def test_a_second_crash_is_resumed_in_code_of_the_same_base():
    seen, failing = [], {1, 2, 3}

    def call(item):
        if item in failing:
            failing.remove(item)
            raise Boom
        seen.append(sys._getframe(1).f_code)

    def program(call):
        for item in range(5):
            call(item)

    entry(program)(call)
    records = [protection_of(code) for code in seen]
    assert [record.shift > 0 for record in records] == [False, True, True, True, True]
    assert {id(record.base) for record in records[1:]} == {id(program.__code__)}
    assert len({id(code) for code in seen[1:4]}) == 3 and seen[3] is seen[4]
    assert len(set(map(len, (code.co_code for code in seen[1:])))) == 1  # prologues are padded to few lengths


def test_the_shifted_table_is_made_once_for_each_length():
    seen = []
    entry(in_a_loop)(crashing(seen))
    record = protection_of(in_a_loop.__code__)
    made = dict(record.tables)
    entry(in_a_loop)(crashing(seen))
    assert record.tables.keys() == made.keys()
    assert all(record.tables[shift] is made[shift] for shift in made)
    daifu_bc.unprotect(in_a_loop)


def test_unbound_names_are_read_by_checking_loads():
    def program(call):
        value = 1
        call()
        return value + value

    answers = []

    def policy(crash):
        answers.append(type(crash.exception))
        if len(answers) == 1:
            del crash.locals["value"]
        else:
            crash.locals["value"] = 21
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(crashing([])) == 42
    assert answers == [Boom, UnboundLocalError]
    assert len(protection_of(program.__code__).checked) == 1


def test_generators_and_coroutines_are_made_of_procedures_of_their_own_kind():
    import inspect

    def items(call):
        yield call(1)

    async def coroutine(call):
        return call(1)

    async def async_items(call):
        yield call(1)

    for function, drive in (
        (items, list),
        (coroutine, lambda made: pytest.raises(StopIteration, made.send, None)),
        (async_items, lambda made: pytest.raises(StopIteration, made.asend(None).send, None)),
    ):
        seen = []
        drive(entry(function)(crashing(seen)))
        flags = seen[0].co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
        assert flags in (inspect.CO_GENERATOR, inspect.CO_COROUTINE)
