"""Facts of interpreter/behavior.py, observed on the running interpreter."""

from __future__ import annotations

import dis
import opcode
import sys

import pytest

from daifu_bc.interpreter import behavior, opcodes, tables


def test_stack_effects_are_those_of_dis():
    for name, op in opcodes.OPMAP.items():
        if name in ("RETURN_GENERATOR", "RETURN_VALUE", "BUILD_SLICE"):
            continue  # dis counts the frame that is left, or takes arguments that no compiler emits
        for arg in (0, 1, 2, 3):
            try:
                wanted = dis.stack_effect(op, arg if op in dis.hasarg or op >= dis.HAVE_ARGUMENT else None, jump=False)
            except ValueError:
                continue
            assert opcodes.pushes(op, arg) - opcodes.pops(op, arg) == wanted, (name, arg)


@pytest.mark.parametrize("function", [tables.build_line_table, dis.dis, sys.displayhook.__class__, pytest.fixture])
def test_line_tables_come_back_as_they_were(function):
    code = getattr(function, "__code__", None)
    if code is None:
        code = test_line_tables_come_back_as_they_were.__code__
    positions = list(code.co_positions())
    runs = [(1, position) for position in positions]
    again = code.replace(co_linetable=tables.build_line_table(runs, code.co_firstlineno))
    assert list(again.co_positions()) == positions


def test_exception_tables_come_back_as_they_were():
    def program():
        try:
            with open("x") as file:
                return [line for line in file]
        except OSError as error:
            return error
        finally:
            print()

    rows = tables.parse_exception_table(program.__code__.co_exceptiontable)
    assert rows
    assert tables.parse_exception_table(tables.build_exception_table(rows)) == rows


def test_locals_of_a_frame_write_through_where_the_fact_says_so():
    def program():
        value = 1
        sys._getframe().f_locals["value"] = 2
        return value

    assert (program() == 2) is behavior.f_locals_writes_through


def test_conditional_jumps_test_truth_where_there_is_no_instruction_for_it():
    assert behavior.jumps_test_truth is (opcodes.TO_BOOL < 0)


def test_loads_borrow_where_there_is_an_instruction_for_it():
    assert behavior.loads_may_borrow is (opcodes.LOAD_FAST_BORROW >= 0)


def test_the_offset_of_a_failed_warm_call_is_in_its_caches_where_the_fact_says_so():
    def callee(fail):
        if fail:
            raise ValueError

    def caller(fail):
        callee(fail)

    for _ in range(100):
        caller(False)
    with pytest.raises(ValueError) as caught:
        caller(True)
    entry = caught.value.__traceback__
    while entry.tb_frame.f_code is not caller.__code__:
        entry = entry.tb_next
    starts = {instruction.offset for instruction in dis.get_instructions(caller)}
    if not behavior.lasti_points_into_caches:
        assert entry.tb_lasti in starts
    else:
        assert entry.tb_lasti not in starts


def test_iterators_take_as_many_slots_as_the_fact_says():
    def program(items):
        for _ in items:
            pass

    op = opcodes.GET_ITER
    assert opcodes.pushes(op, 0) == opcodes.ITER_SLOTS == 1 + behavior.iteration_is_virtual
    assert any(instruction.opcode == op for instruction in dis.get_instructions(program))


def test_headers_span_their_statement_where_the_fact_says_so():
    def program(items):
        for _ in items:
            pass

    positions = next(one.positions for one in dis.get_instructions(program) if one.opname == "FOR_ITER")
    assert (positions.end_lineno > positions.lineno) is behavior.headers_span_their_statement


def test_raise_events_are_local_where_the_fact_says_so():
    tool = 5
    sys.monitoring.use_tool_id(tool, "a test of facts")
    try:
        sys.monitoring.set_local_events(tool, test_raise_events_are_local_where_the_fact_says_so.__code__, 0)
        try:
            sys.monitoring.set_local_events(
                tool, test_raise_events_are_local_where_the_fact_says_so.__code__, sys.monitoring.events.RAISE
            )
            local = True
        except ValueError:
            local = False
        sys.monitoring.set_local_events(tool, test_raise_events_are_local_where_the_fact_says_so.__code__, 0)
    finally:
        sys.monitoring.free_tool_id(tool)
    assert local is behavior.raise_events_are_local


def test_comparisons_are_named_by_the_shifted_argument():
    for sign in opcode.cmp_op:
        steps = dis.get_instructions(compile(f"a {sign} b", "", "eval"))
        (step,) = [step for step in steps if step.opname == "COMPARE_OP"]
        assert opcode.cmp_op[step.arg >> behavior.comparison_shift] == sign
