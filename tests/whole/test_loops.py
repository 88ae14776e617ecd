"""`crash.loops`: the loops around a crash, their state, and what assigning an iterator does."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import At, Retry
from whole.crash_at import Items, Out, drive


def look(program, *args, at=None, then=None):
    """What `then` says of the first crash; the run goes on by Retry."""
    seen = []

    def policy(crash):
        if seen:
            return None
        frame = crash if at is None else crash.frames[at]
        seen.append([(loop.source, loop.state) for loop in frame.loops] if then is None else then(frame))
        return Retry() if at is None else At(at, Retry())

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    result = drive(program, *args)
    return seen[0], result


def test_the_innermost_loop_comes_first():
    def program(out):
        for i in range(2):
            while len(out.log) < 4:
                for j in Items(out, 1, 2):
                    out((i, j))

    loops, _ = look(program, Out((0, 2)))
    assert loops == [
        ("for j in Items(out, 1, 2):", "alive"),
        ("while len(out.log) < 4:", "alive"),
        ("for i in range(2):", "alive"),
    ]


def test_the_loop_whose_header_crashed_is_the_first():
    def program(out):
        for i in range(2):
            for j in Items(out, i, i + 10):
                out((i, j))

    (first, second), _ = look(program, Out("next 10"))
    assert first == ("for j in Items(out, i, i + 10):", "alive")
    assert second == ("for i in range(2):", "alive")


def test_loops_of_comprehensions():
    def program(out):
        return [out(-i) for i in range(3)], {out((i, j)) for i in range(2) for j in range(2)}

    loops, result = look(program, Out(-1))
    assert [state for _, state in loops] == ["alive"]
    loops, result = look(program, Out((1, 1)))
    assert len(loops) == 2
    assert result == ([0, -1, -2], {(0, 0), (0, 1), (1, 0), (1, 1)})


def test_the_loop_of_a_generator_expression_is_in_its_own_frame():
    def program(out):
        for _ in range(1):
            return sorted(out(i) for i in range(3))

    seen, result = look(program, Out(1), then=lambda crash: [len(frame.loops) for frame in crash.frames])
    assert seen == [1, 1]
    assert result == [0, 1, 2]


def test_a_while_loop_has_no_iterator():
    def program(out):
        while True:
            return out(1)

    def then(crash):
        with pytest.raises(TypeError):
            crash.loops[0].iterator = []
        return crash.loops[0].iterator

    seen, _ = look(program, Out(1), then=then)
    assert seen is None


def test_line_numbers_of_loops_are_those_of_their_headers():
    def program(out):
        for i in range(1):

            for j in range(1):
                out(1)

    first = program.__code__.co_firstlineno
    seen, _ = look(program, Out(1), then=lambda crash: [loop.lineno - first for loop in crash.loops])
    assert seen == [3, 1]


def test_an_iterator_can_be_replaced():
    def program(out):
        seen = []
        for item in range(3):
            seen.append(out(item))
        return seen

    def then(crash):
        assert next(crash.loops[0].iterator) == 2
        crash.loops[0].iterator = (item for item in "ab")

    _, result = look(program, Out(1), then=then)
    assert result == [0, 1, "a", "b"]


def test_the_iterator_of_the_outer_loop_can_be_replaced():
    def program(out):
        seen = []
        for i in range(2):
            for j in range(2):
                seen.append(out((i, j)))
        return seen

    def then(crash):
        crash.loops[1].iterator = iter([7])

    _, result = look(program, Out((0, 0)), then=then)
    assert result == [(0, 0), (0, 1), (7, 0), (7, 1)]


def test_the_iterator_of_a_comprehension_can_be_replaced():
    def program(out):
        return [out(i) for i in range(3)]

    def then(crash):
        crash.loops[0].iterator = iter([8, 9])

    _, result = look(program, Out(1), then=then)
    assert result == [0, 1, 8, 9]


def test_what_is_no_iterable_cannot_be_assigned():
    def program(out):
        for item in range(2):
            out(item)

    def then(crash):
        with pytest.raises(TypeError):
            crash.loops[0].iterator = 5

    look(program, Out(1), then=then)


def test_a_loop_in_a_frame_that_is_in_a_call_shows_no_iterator_but_can_go_on():
    def program(out):
        def inner(item):
            return out(item)

        return [inner(item) for item in range(3)]

    def then(frame):
        return [(loop.source, loop.iterator) for loop in frame.loops]

    loops, result = look(program, Out(1), at=1, then=then)
    assert [iterator for _, iterator in loops] == [None]
    assert result == [0, 1, 2]
