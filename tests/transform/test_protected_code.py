"""Protected code of the standard library and of our own corpus: verified, readable by others, true to its original."""

from __future__ import annotations

import asyncio.tasks
import concurrent.futures.thread
import contextlib
import dataclasses
import importlib.util
import sys
import tempfile
import typing
from pathlib import Path
from types import CodeType

import bytecode
import pytest

from daifu_bc.interpreter import behavior, opcodes, tables
from daifu_bc.transform import Settings, protect_code, protection_of
from daifu_bc.transform.program import STUB
from daifu_bc.transform.registry import skipped
from daifu_bc.transform.second_opinion import check

MODULES = [asyncio.tasks, concurrent.futures.thread, contextlib, dataclasses, tempfile, typing]
CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.py"))


MAY_ENTER_PYTHON = {
    opcodes.OPMAP[name]
    for name in "CALL CALL_KW CALL_FUNCTION_EX FOR_ITER SEND BINARY_SUBSCR BINARY_OP LOAD_ATTR".split()
    if name in opcodes.OPMAP
}


def code_objects(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from code_objects(const)


def compiled(path):
    text = Path(path).read_text()
    try:
        return compile(text, str(path), "exec")
    except SyntaxError:
        pytest.skip("its syntax is of a newer Python")


def protected(code, keep="calls"):
    """(protected code, its record) of each code object that was protected."""
    for made in code_objects(protect_code(code, Settings(keep=keep))):
        record = protection_of(made)
        if record is not None:
            yield made, record


@pytest.fixture(params=[module.__file__ for module in MODULES], ids=[module.__name__ for module in MODULES])
def module_code(request):
    return compiled(request.param)


def test_nothing_is_left_out(module_code):
    before = set(skipped())
    count = len(list(code_objects(module_code)))
    made = len(list(protected(module_code)))
    assert not set(skipped()) - before
    assert made > count // 2  # the others cannot raise


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_bytecode_package_reads_the_corpus_alike(path):
    for keep in ("calls", "all"):
        for made, record in protected(compiled(path), keep):
            if reads(record.original):
                check(made)


def reads(code):
    """Can the package read the compiler's own code? (Some class bodies and template strings it cannot.)"""
    try:
        bytecode.Bytecode.from_code(code)
    except (IndexError, ValueError):
        return False
    return True


def test_a_round_trip_through_the_bytecode_package_changes_nothing(module_code):
    for made, _record in protected(module_code):
        concrete = bytecode.ConcreteBytecode.from_code(made)
        again = concrete.to_code(stacksize=made.co_stacksize, compute_exception_stack_depths=False)
        assert again.co_code == made.co_code
        assert again.co_exceptiontable == made.co_exceptiontable
        assert list(again.co_positions()) == list(made.co_positions())


def test_the_origin_map_goes_there_and_back(module_code):
    for made, record in protected(module_code):
        ins = record.flow.instructions
        for index in range(len(ins.ops)):
            for where in (record.positions_of, record.labels_of):
                unit = record.starts[where[index]]
                assert record.index_at(2 * unit) == index
            assert record.to_original(2 * record.starts[record.positions_of[index]]) == ins.offset_of(index)
        assert record.positions_of == sorted(record.positions_of)
        assert all(before <= after for before, after in zip(record.labels_of, record.positions_of))
        assert all(before < after for before, after in zip(record.positions_of, record.after_of))
        assert len(record.starts) == len(record.origins) + 1
        assert 2 * record.starts[-1] == len(made.co_code)


def test_original_instructions_keep_their_place_in_the_source(module_code):
    for made, record in protected(module_code):
        original, ins = list(record.original.co_positions()), record.flow.instructions
        new = list(made.co_positions())
        for index in range(len(ins.ops)):
            unit = record.starts[record.positions_of[index]]
            assert new[unit] == original[ins.offset_of(index) // 2]


def test_cold_code_is_on_no_line_but_the_first_or_that_of_the_jump_it_serves(module_code):
    for made, record in protected(module_code):
        positions = list(made.co_positions())
        for number, origin in enumerate(record.origins):
            place = positions[record.starts[number]]
            if origin <= STUB:
                assert place == record.positions[STUB - origin]
            elif origin < 0:
                assert place[0] in (None, made.co_firstlineno)


def traced(function, *args):
    """The lines that a tracer sees."""
    lines = []

    def trace(frame, event, arg):
        if frame.f_code.co_name != function.__name__:
            return None
        if event == "line":
            lines.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("keep", ["calls", "all"])
@pytest.mark.parametrize("command", ["go n", "go x", "spam", "go x y"])
def test_a_tracer_sees_the_same_lines(keep, command):
    def program(command):
        match command.split():
            case ["go", direction] if direction in "nesw":
                return f"go {direction}"
            case ["go", _]:
                return "no go"
            case _:
                return "default"

    expected = traced(program, command)
    program.__code__ = protect_code(program.__code__, Settings(keep=keep))
    assert traced(program, command) == expected


def test_what_a_caller_sees_of_a_function_is_unchanged(module_code):
    for made, record in protected(module_code):
        original = record.original
        for name in (
            "co_argcount co_posonlyargcount co_kwonlyargcount co_flags co_name co_qualname co_filename co_firstlineno"
            " co_freevars co_cellvars"
        ).split():
            assert getattr(made, name) == getattr(original, name), name
        arguments = made.co_argcount + made.co_kwonlyargcount
        assert made.co_varnames[:arguments] == original.co_varnames[:arguments]
        if original.co_flags & 1 or not behavior.f_locals_drops_hidden_names:
            assert made.co_varnames[: original.co_nlocals] == original.co_varnames
        assert made.co_names[: len(original.co_names)] == original.co_names
        kept = [const for const in original.co_consts if not isinstance(const, CodeType)]
        mine = [const for const in made.co_consts[: len(original.co_consts)] if not isinstance(const, CodeType)]
        assert list(map(repr, mine)) == list(map(repr, kept))


def test_hidden_locals_have_names_that_no_program_has(module_code):
    for made, record in protected(module_code):
        for name in made.co_varnames[record.original.co_nlocals :]:
            assert not name.isidentifier()


def test_every_instruction_that_raises_leads_somewhere(module_code):
    """To a barrier, or (where the program handles it first, or it is the compiler's own cleanup) to its own handler."""
    for made, record in protected(module_code):
        rows = tables.parse_exception_table(made.co_exceptiontable)
        ins, found = record.flow.instructions, record.contexts
        blocks = {record.starts[block] for block in record.blocks}
        for index, op in enumerate(ins.ops):
            if found.of[index] < 0 or not opcodes.RAISES[op]:
                continue
            unit = record.starts[record.positions_of[index]]
            covering = [row for row in rows if row[0] <= unit < row[1]]
            assert [row[2] for row in covering] == [record.starts[record.blocks[found.of[index]]]]
            assert covering[0][2] in blocks
            assert covering[0][3] == len(found.table[found.of[index]].kinds)


def test_barriers_begin_one_unit_early_where_the_handler_is_looked_up_there(module_code):
    if not behavior.handler_is_looked_up_early:
        pytest.skip("the handler is looked up at the instruction itself")
    for made, record in protected(module_code):
        rows = tables.parse_exception_table(made.co_exceptiontable)
        for index, op in enumerate(record.flow.instructions.ops):
            if record.contexts.of[index] < 0 or op not in MAY_ENTER_PYTHON:
                continue
            unit = record.starts[record.positions_of[index]]
            targets = [[row[2] for row in rows if row[0] <= at < row[1]] for at in (unit - 1, unit)]
            assert targets[0] == targets[1]


def test_code_in_which_nothing_raises_is_left_as_it_is():
    def nothing():
        pass

    assert protect_code(nothing.__code__, Settings()) is nothing.__code__


def test_protecting_protected_code_changes_nothing():
    def program(f):
        return f(f(1))

    made = protect_code(program.__code__, Settings())
    assert protect_code(made, Settings()) is made
    other = protect_code(made, Settings(keep="all"))
    assert protection_of(other).original is program.__code__


def test_leaf_functions_get_no_hidden_locals():
    def leaf(a, b):
        return a.x + b[0] * 2

    made = protect_code(leaf.__code__, Settings())
    assert made.co_nlocals == leaf.__code__.co_nlocals


def test_the_corpus_is_there():
    assert len(CORPUS) > 20
    assert importlib.util.find_spec("bytecode")


def test_the_second_opinion_does_not_stand_in_the_way_of_what_it_cannot_read(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_VERIFY", "full")
    text = "def program(p):\n class C:\n  found = [p(x) for x in p(1)]\n  other = p(p(2))\n return C"
    code = next(const for const in compile(text, "<text>", "exec").co_consts if isinstance(const, CodeType))
    before = set(skipped())
    assert len(list(protected(code))) == 2
    assert not set(skipped()) - before


def test_protected_code_imports_its_runtime_by_name():
    def program(f):
        return f(1)

    made = protect_code(program.__code__, Settings())
    assert "daifu_bc" in made.co_names
    plain = (int, str, bytes, float, complex, tuple, type(None), type(...), CodeType)
    assert all(isinstance(const, plain) for const in made.co_consts)


def test_protected_code_can_be_marshalled():
    import marshal

    def program(f):
        for item in f:
            f(item)

    made = protect_code(program.__code__, Settings())
    assert marshal.loads(marshal.dumps(made)) == made
