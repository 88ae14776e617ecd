"""Source-level vaccination, which daifu_bc is compared with: right where its design can be, and where it cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "perf" / "vaccination").exists():
    pytest.skip("perf is part of a checkout, not of the wheel", allow_module_level=True)
sys.path.append(str(ROOT))

from perf.vaccination import CannotVaccinate, vaccinate  # noqa: E402


class FailsAt:
    """A function that gives back what it is given; its calls with one value fail once."""

    def __init__(self, value):
        self.value, self.calls = value, []

    def __call__(self, value):
        self.calls.append(value)
        if value == self.value:
            self.value = None
            raise OSError("once")
        return value


def sums(f):
    total = 0
    for number in range(5):
        total += f(number)
    return total


def jumps(f):
    found = []
    for number in range(10):
        if number == 1:
            continue
        while True:
            found.append(f(number))
            if len(found) % 2:
                break
        else:
            found.append("never")
        if number > 5:
            return found, number
    return found


def handlers(f):
    found = []
    for number in range(4):
        try:
            if number == 2:
                raise KeyError(number)
            found.append(f(number))
        except KeyError as error:
            found.append(error.args[0])
        finally:
            found.append("end")
    else:
        found.append("else")
    return found


def scopes(f, *rest, scale=3, **named):
    import os.path as path
    from math import floor

    total = [f(number) * scale for number in range(3)]

    def inner(number):
        for more in range(2):
            number += more
        return number + scale

    first, *others = total
    if (count := len(others)) > 1:
        first += count
    value: int = floor(2.5)
    del others
    return first, value, inner(1), (lambda number: number + scale)(2), path.basename("a/b"), rest, sorted(named)


def inner_scopes(f):
    rows, scale = [[1, 2], [3]], 2
    number: int  # noqa: F842 - an annotation that binds nothing

    def inner(first=scale, *, second=f(2)):
        def scale(number):
            return number + first

        try:
            import math as rows
            number = rows.floor(2.5)
            raise ValueError
        except ValueError as error:
            return scale(number) + second + len(error.args)

    return inner(), (lambda scale=scale: scale)(), [scale for scale in [scale]], [x for row in rows for x in row], rows


def nested(f):
    found = []
    for one in range(3):
        for other in range(3):
            if other == 2:
                break
            found.append(f(10 * one + other))
    return found


PROGRAMS = [sums, jumps, handlers, scopes, inner_scopes, nested]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_does_the_same(program):
    assert vaccinate(program)(FailsAt(None)) == program(FailsAt(None))


@pytest.mark.parametrize("program", [sums, jumps, scopes, inner_scopes, nested], ids=lambda program: program.__name__)
@pytest.mark.parametrize("value", [0, 2, 3, 11])
def test_a_crash_is_recovered_by_running_its_statement_again(program, value):
    assert vaccinate(program, lambda crash: None)(FailsAt(value)) == program(FailsAt(None))


def test_without_a_policy_the_exception_goes_on():
    with pytest.raises(OSError):
        vaccinate(sums)(FailsAt(1))


def test_arguments_are_bound_as_ever():
    assert vaccinate(scopes)(FailsAt(None), 1, 2, scale=5, a=1) == scopes(FailsAt(None), 1, 2, scale=5, a=1)


COUNTED = 0


def counts(f):
    global COUNTED
    COUNTED = 0
    for number in range(3):
        COUNTED += f(defined_later(number))
    return COUNTED


VACCINATED_EARLY = vaccinate(counts, lambda crash: None)


def defined_later(number):
    return number * 2


@pytest.mark.parametrize("value", [None, 0, 2, 4])
def test_globals_are_those_of_the_module(value):
    assert VACCINATED_EARLY(FailsAt(value)) == 6
    assert COUNTED == 6


@pytest.mark.parametrize("value", [None, 1])
def test_variables_of_functions_around_it_are_read(value):
    scale = 3

    def scaled(f):
        total = 0
        for number in range(3):
            total += f(number) * scale
        return total

    assert vaccinate(scaled, lambda crash: None)(FailsAt(value)) == 9


def divides(values):
    total = 0
    for value in values:
        total += 10 // value
    return total


def test_an_action_and_new_source():
    def act(crash):
        crash.context["value"] = 5

    assert vaccinate(divides, act)([1, 0]) == 12
    assert vaccinate(divides, lambda crash: "total += 100")([1, 0, 2]) == 115


def test_the_whole_statement_runs_again():
    def twice(f):
        total = 0
        for number in range(3):
            total += f("before") == "before" and f(number)
        return total

    f = FailsAt(1)
    assert vaccinate(twice, lambda crash: None)(f) == 3
    assert f.calls.count("before") == 4  # three iterations: the failing one has called it twice


def test_a_finally_has_run_before_the_repair_and_runs_once_more():
    clean = handlers(FailsAt(None))
    assert vaccinate(handlers, lambda crash: None)(FailsAt(3)) == [*clean[:6], "end", *clean[6:]]


def test_a_loop_whose_header_raised_begins_anew():
    def items(f):
        for number in range(3):
            yield f(number)

    def loop(f):
        found = []
        for item in items(f):
            found.append(item)
        return found

    assert vaccinate(loop, lambda crash: None)(FailsAt(2)) == [0, 1, 0, 1, 2]


def test_what_the_design_has_no_way_for_is_refused():
    def generates():
        yield 1

    def counts():
        number = 0

        def add():
            nonlocal number
            number += 1

        return add

    for function in (generates, counts):
        with pytest.raises(CannotVaccinate):
            vaccinate(function)
