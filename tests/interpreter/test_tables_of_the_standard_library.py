"""Exception tables and line tables of the standard library come back as they were."""

from __future__ import annotations

import importlib
import inspect
import itertools
from types import CodeType

import pytest

from daifu_bc.interpreter import tables

MODULES = "argparse ast asyncio.tasks contextlib dataclasses inspect json.decoder tempfile threading typing".split()


def code_objects(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from code_objects(const)


def all_of(module):
    found = importlib.import_module(module)
    return code_objects(compile(inspect.getsource(found), found.__file__, "exec"))


@pytest.mark.parametrize("module", MODULES)
def test_exception_tables_come_back(module):
    tables_seen = 0
    for code in all_of(module):
        rows = tables.parse_exception_table(code.co_exceptiontable)
        assert tables.parse_exception_table(tables.build_exception_table(rows)) == joined(rows)
        assert all(start < end <= len(code.co_code) // 2 for start, end, *_ in rows)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(rows))
        tables_seen += bool(rows)
    assert tables_seen


def joined(rows):
    """Neighbours that lead to the same place, as one."""
    out = []
    for row in rows:
        if out and out[-1][1] == row[0] and out[-1][2:] == row[2:]:
            out[-1] = (out[-1][0], *row[1:])
        else:
            out.append(row)
    return out


@pytest.mark.parametrize("module", MODULES)
def test_line_tables_come_back(module):
    for code in all_of(module):
        positions = list(code.co_positions())
        runs = [(len(list(group)), position) for position, group in itertools.groupby(positions)]
        again = code.replace(co_linetable=tables.build_line_table(runs, code.co_firstlineno))
        assert list(again.co_positions()) == positions


@pytest.mark.parametrize("units", [0, 1, 7, 8, 9, 100])
def test_no_location_entries_cover_that_many_units(units):
    def function():
        pass

    code = function.__code__
    longer = code.replace(
        co_code=bytes((9, 0)) * units + code.co_code, co_linetable=tables.no_location_entries(units) + code.co_linetable
    )
    assert list(longer.co_positions())[:units] == [tables.NO_POSITION] * units
    assert list(longer.co_positions())[units:] == list(code.co_positions())


@pytest.mark.parametrize(
    "position",
    [
        (5, 5, 0, 3),
        (5, 5, 79, 94),
        (5, 5, 80, 96),
        (6, 6, 127, 127),
        (7, 9, 3, 1),
        (900, 70_000, 1_000, 70_000),
        (2, 2, 3, 4),
        (5, 5, None, None),
        (None, None, None, None),
    ],
)
def test_positions_of_all_forms_come_back(position):
    def function():
        pass

    code = function.__code__
    units = len(code.co_code) // 2
    again = code.replace(co_firstlineno=5, co_linetable=tables.build_line_table([(units, position)], 5))
    expected = position if position[2] is not None else (position[0], position[0], None, None)
    assert list(again.co_positions()) == [expected] * units


def test_large_numbers_of_exception_tables_come_back():
    rows = [(1, 70_000, 300_000, 40, True), (70_000, 70_063, 64, 0, False), (4_000_000, 4_000_001, 1, 63, True)]
    assert tables.parse_exception_table(tables.build_exception_table(rows)) == rows


def test_empty_rows_are_left_out():
    assert tables.build_exception_table([(5, 5, 9, 0, False)]) == b""


def test_shifted_rows_move_as_a_whole():
    rows = [(1, 5, 9, 2, True)]
    assert tables.shift_exception_table(rows, 32) == [(33, 37, 41, 2, True)]
