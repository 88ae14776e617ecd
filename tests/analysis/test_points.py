"""Points at which a function can go on: starts of statements, loop headers, what follows a statement."""

from __future__ import annotations

import contextlib

import pytest

from daifu_bc.analysis.flow import flow_of
from daifu_bc.analysis.instructions import decode
from daifu_bc.analysis.points import Points
from daifu_bc.interpreter import opcodes


def crash(*args):
    """Stands for what fails."""


manager = contextlib.nullcontext()


def points_of(function, name="crash"):
    """Points as seen from the first call of `name`, and lines counted from the `def`."""
    flow = flow_of(decode(function.__code__))
    ins = flow.instructions
    index = next(
        index
        for index, op in enumerate(ins.ops)
        if op == opcodes.LOAD_GLOBAL and ins.code.co_names[ins.args[index] >> 1] == name
    )
    while ins.ops[index] != opcodes.CALL:
        index += 1
    by_unit = list(ins.code.co_positions())
    positions = [by_unit[ins.offset_of(i) // 2] for i in range(len(ins.ops))]
    points = Points(flow, index, positions)
    first = ins.code.co_firstlineno

    def line(index):
        return None if index is None else index if index < 0 else points.position(index)[0] - first

    return points, line


def program(a):
    a = 1
    for i in a:
        with manager:
            b = crash(i) + 1
            b += 1
        while b:
            b -= 1
    return b


def test_the_failing_statement_begins_at_its_first_instruction():
    points, line = points_of(program)
    start = points.statement_start()
    assert line(start) == 4
    assert points.is_base(start) and points.is_open(start)
    assert start < points.index


def test_control_flows_to_the_next_statement():
    points, line = points_of(program)
    assert line(points.end_of_statement()) == 5
    assert line(points.after_statement()) == 5


@pytest.mark.parametrize(("lineno", "possible"), [(1, True), (2, True), (4, True), (5, True), (8, True), (20, False)])
def test_lines_of_the_same_and_of_outer_blocks_can_be_entered(lineno, possible):
    points, line = points_of(program)
    found = points.line_start(program.__code__.co_firstlineno + lineno)
    assert (found is not None) is possible
    if possible:
        assert line(found) == lineno


def test_lines_of_blocks_that_have_not_begun_cannot_be_entered():
    def program(a):
        crash()
        for i in a:
            print(i)
        with manager:
            print(1)

    points, _ = points_of(program)
    first = program.__code__.co_firstlineno
    assert points.line_start(first + 3) is None and points.line_exists(first + 3)
    assert points.line_start(first + 5) is None and points.line_exists(first + 5)
    assert points.line_start(first + 2) is not None


def test_loops_around_come_innermost_first():
    def program(a):
        for i in a:
            for j in i:
                crash(j)

    points, line = points_of(program)
    assert [line(value.index) for value in points.loops()] == [2, 1]


def test_while_loops_are_found_by_their_source():
    def program(a):
        while a:
            while True:
                crash()

    points, line = points_of(program)
    first = program.__code__.co_firstlineno
    assert [loop.lineno - first for loop in points.while_loops()] == [2, 1]
    assert line(points.while_header(points.while_loops()[1])) == 1


def test_after_the_last_statement_of_a_loop_comes_its_header():
    def program(a):
        for i in a:
            crash(i)
        return 1

    points, line = points_of(program)
    after = points.after_statement()
    assert line(after) == 1
    assert points.ins.ops[after] == opcodes.FOR_ITER


def test_after_the_last_statement_of_a_function_comes_its_end():
    def program():
        crash()

    points, _ = points_of(program)
    assert points.after_statement() == -1


def test_every_point_that_is_offered_is_open():
    points, _ = points_of(program)
    first = program.__code__.co_firstlineno
    offered = [points.line_start(first + n) for n in range(12)] + [points.statement_start(), points.after_statement()]
    for index in offered:
        if index is not None and index >= 0:
            assert points.is_base(index) and points.is_open(index)


def test_the_way_out_leads_from_the_innermost_handler_to_none():
    def program():
        try:
            with manager:
                crash()
        finally:
            print()

    points, _ = points_of(program)
    chain = points.chain(points.index)
    assert chain[-1] == -1 and len(chain) >= 3
    assert len(set(chain)) == len(chain)
