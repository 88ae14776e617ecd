"""What a crash shows, and what becomes of changes to it."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import At, Jump, Redo, Retry, Skip


class Once:
    """A callable that fails the first time and then gives back what it is called with."""

    def __init__(self, error=RuntimeError):
        self.error, self.calls = error, []

    def __call__(self, *args):
        self.calls.append(args)
        if len(self.calls) == 1:
            raise self.error("once")
        return args


def run(function, policy, **settings):
    return daifu_bc.protect(function, on_crash=policy, scope="nested", **settings)()


def test_fields_name_the_place():
    once, seen = Once(), []

    def program():
        out = []
        for number in range(3):
            out.append(once(number, "é")[0])
        return out

    def policy(crash):
        loop = crash.loops[0]
        seen.append((crash.function, crash.statement, crash.expression, crash.attempt, loop.source, loop.state))
        seen.append((crash.lineno, loop.lineno, sorted(crash.locals), crash.offset > 0))
        return Retry()

    first = program.__code__.co_firstlineno
    assert run(program, policy) == [0, 1, 2]
    assert seen == [
        (
            "test_fields_name_the_place.<locals>.program",
            'out.append(once(number, "é")[0])',
            'once(number, "é")',
            1,
            "for number in range(3):",
            "alive",
        ),
        (first + 3, first + 2, ["number", "once", "out"], True),
    ]


def test_locals_and_cells_are_written_back():
    def program():
        def need(x, y):
            if x != 5:
                raise ValueError(x)
            return y

        x, y = 1, []
        return need(x, y), x, y, (lambda: x)()

    def policy(crash):
        frame = crash.frames[1]
        frame.locals["x"], frame.locals["y"] = 5, "new"
        return At(1, Retry())

    assert run(program, policy, keep="calls") == ("new", 5, "new", 5)


def test_a_deleted_name_is_unbound_and_never_kills_the_interpreter():
    once = Once()

    def program():
        a, b = 1, 2
        once(1)
        return a + b

    def policy(crash):
        if isinstance(crash.exception, RuntimeError):
            del crash.locals["a"]
            return Skip()
        assert isinstance(crash.exception, UnboundLocalError)
        crash.locals["a"] = 7
        return Retry()

    assert run(program, policy) == 9


def test_a_name_that_a_jump_leaves_unbound_is_asked_for():
    once = Once()

    def program():
        once(1)
        value = 3
        return value + 1

    def policy(crash):
        if isinstance(crash.exception, RuntimeError):
            return Jump(crash.lineno + 2)
        crash.locals["value"] = 9
        return Retry()

    assert run(program, policy) == 10


def test_finished_results_can_be_changed_and_dropped():
    once, made = Once(), []

    def one():
        made.append(1)
        return 1

    def two():
        made.append(2)
        return 2

    def program():
        return once(one(), two())

    def policy(crash):
        assert [(entry.source, entry.result) for entry in crash.finished] == [("one()", 1), ("two()", 2)]
        crash.finished[0].result = 100
        del crash.finished[1]
        return Retry()

    assert run(program, policy) == (100, 2)
    assert made == [1, 2, 2]


def test_actions_run_as_if_written_there():
    once = Once()

    def program():
        items, total = [1, 2], 0
        for item in items:
            total += once(item)[0]
        return total

    def policy(crash):
        assert crash.run("sum(item + other for other in items)") == 5
        crash.run("total = 100")
        with pytest.raises(ZeroDivisionError):
            crash.run("1 / 0")
        return Retry()

    assert run(program, policy) == 103


def test_a_dead_generator_is_refused_and_can_be_replaced():
    def items():
        yield 1
        raise OSError

    def program():
        return [item for item in enumerate(items())]

    def policy(crash):
        if crash.function.endswith("items"):
            return None
        assert [loop.state for loop in crash.loops] == ["dead"]
        assert "finished for good" in crash.can(Retry())
        crash.loops[0].iterator = [8, 9]
        return Retry()

    assert run(program, policy) == [(0, 1), 8, 9]


def test_attempts_count_until_the_instruction_is_done():
    fails, seen = [True, True, False, True, False], []

    def flaky():
        if fails.pop(0):
            raise OSError

    def program():
        flaky()
        while fails:
            flaky()

    def policy(crash):
        seen.append(crash.attempt)
        return At(len(crash.frames) - 1, Retry())

    run(program, policy)
    assert seen == [1, 2, 1]


def test_one_point_is_tried_a_bounded_number_of_times(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "5")
    asked = []

    def program():
        value = object()
        {}["missing", value]

    def policy(crash):
        asked.append(crash.attempt)
        crash.locals["value"] = object()  # mending is no progress by itself
        return Retry()

    try:
        run(program, policy)
    except Exception as error:  # a caller that names the class would handle it
        notes = error.__notes__
    assert asked == [1, 2, 3, 4, 5]
    assert any("gave up after 5 attempts" in note for note in notes)


def test_a_retry_that_reads_a_deleted_name_asks_for_it():
    once = Once()

    def program():
        value = 1
        result = once(value)
        return result

    def policy(crash):
        if isinstance(crash.exception, RuntimeError):
            del crash.locals["value"]
        else:
            assert isinstance(crash.exception, UnboundLocalError)
            crash.locals["value"] = 7
        return Retry()

    assert run(program, policy) == (7,)


def test_a_name_cannot_be_deleted_in_a_frame_that_is_not_rebuilt():
    def program():
        def inner():
            return {}["missing"]

        value = 1
        return inner(), value

    reasons = []

    def policy(crash):
        del crash.frames[1].locals["value"]
        reasons.append(crash.can(Retry()))
        return None

    with pytest.raises(Exception, match="missing"):
        run(program, policy)
    assert "value was deleted in frame 1" in reasons[0]


def test_a_generator_that_the_failed_call_has_begun_is_not_given_to_it_again():
    given = []

    def scaled(values):
        given.append(list(values))
        if len(given) == 1:
            raise RuntimeError("once")
        return given[-1]

    def program():
        return scaled(number * 2 for number in range(3))

    def policy(crash):
        assert "taken items" in crash.can(Retry())
        return Redo()

    assert run(program, policy) == [0, 2, 4]
