"""`crash.attempt` counts failures in a row of one point with one exception type; policies are bounded by it."""

from __future__ import annotations

import daifu_bc
from daifu_bc import NextIteration, Redo, Retry, Return, Skip, policies
from whole.crash_at import Boom, caught_from, notes_of


class Failing:
    """Fails as often as its script says: an exception class fails, None goes well."""

    def __init__(self, *script):
        self.script = list(script)

    def __call__(self, value=None):
        error = self.script.pop(0) if self.script else None
        if error is not None:
            raise error(value)
        return value


def attempts(program, restart=Retry()):
    seen = []

    def policy(crash):
        seen.append(crash.attempt)
        return restart

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program()
    return seen


def test_failures_in_a_row_are_counted():
    call = Failing(OSError, OSError, OSError)

    def program():
        return call()

    assert attempts(program) == [1, 2, 3]


def test_another_exception_type_is_counted_by_itself():
    call = Failing(OSError, OSError, ValueError, OSError)

    def program():
        return call()

    assert attempts(program)[:3] == [1, 2, 1]


def test_the_count_begins_again_once_the_instruction_is_done():
    call = Failing(OSError, OSError, None, OSError)

    def program():
        for item in range(2):
            call(item)

    assert attempts(program) == [1, 2, 1]


def test_another_point_is_counted_by_itself():
    call = Failing(OSError, None, OSError, OSError)

    def program():
        call(1)
        call(2)

    assert attempts(program) == [1, 1, 2]


def test_the_same_point_in_the_next_iteration_is_a_first_attempt():
    call = Failing(OSError, OSError, OSError)

    def program():
        for item in range(3):
            call(item)

    assert attempts(program, NextIteration()) == [1, 1, 1]


def test_redo_counts_too():
    call = Failing(None, OSError, None, OSError)

    def program():
        return call(1), call(2)

    assert attempts(program, Redo()) == [1, 2]


def test_a_call_of_the_function_anew_is_a_first_attempt():
    call = Failing(OSError, OSError)

    def program():
        def inner(value):
            call(value)

        inner(1)
        inner(2)

    assert attempts(program, Skip()) == [1, 1]


def test_returning_for_single_calls_is_not_counted_in_a_row():
    def program():
        seen = []
        for item in range(6):
            seen.append(read(item))
        return seen

    def read(item):
        return {0: "a", 2: "b", 4: "c"}[item]

    seen = []

    def policy(crash):
        seen.append(crash.attempt)
        return Return(None)

    daifu_bc.protect(read, scope="nested")
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == ["a", None, "b", None, "c", None]
    assert seen == [1, 1, 1]


def test_hand_written_policies_are_bounded(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "7")
    call, asked = Failing(*[OSError] * 50), []

    def program():
        return call()

    def policy(crash):
        asked.append(crash.attempt)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    error = caught_from(program)
    assert asked == [1, 2, 3, 4, 5, 6, 7]
    assert "DAIFU_BC_MAX_ATTEMPTS" in notes_of(error)


def test_hand_written_policies_are_bounded_by_100_as_it_is(monkeypatch):
    monkeypatch.delenv("DAIFU_BC_MAX_ATTEMPTS", raising=False)
    call, asked = Failing(*[OSError] * 500), []

    def program():
        return call()

    daifu_bc.protect(program, on_crash=lambda crash: asked.append(1) or Retry(), scope="nested")
    assert type(caught_from(program)) is OSError
    assert len(asked) == 100


def test_a_loop_that_fails_in_each_iteration_is_no_single_point(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "5")
    call = Failing(*[OSError] * 20)

    def program():
        seen = []
        for item in range(20):
            seen.append(item)
            call(item)
        return len(seen)

    daifu_bc.protect(program, on_crash=lambda crash: Skip(), scope="nested")
    assert program() == 20


def test_two_points_that_fail_by_turns_are_bounded_too(monkeypatch):
    """Each retry of the outer one makes the inner one anew: without a bound this would go on for ever."""
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "5")
    asked = []

    def program():
        def inner():
            {}["missing"]

        inner()

    def policy(crash):
        asked.append(crash.function)
        return daifu_bc.At(1, Retry())

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is KeyError
    assert len(asked) <= 10


def test_ready_made_policies_try_three_times():
    call, count = Failing(*[OSError] * 10), []

    def program():
        return call(count.append(1))

    daifu_bc.protect(program, on_crash=policies.retry(on=OSError), scope="nested")
    assert type(caught_from(program)) is OSError
    assert len(call.script) == 10 - 4
    assert len(count) == 1


def test_a_ready_made_policy_in_a_loop_recovers_each_item():
    call = Failing(OSError, OSError, None, OSError, OSError, OSError, None)

    def program():
        return [call(item) for item in range(3)]

    daifu_bc.protect(program, on_crash=policies.retry(on=OSError), scope="nested")
    assert program() == [0, 1, 2]


def test_skip_iteration_as_a_policy():
    call = Failing(None, ValueError, None, ValueError)

    def program():
        seen = []
        for item in range(5):
            call(item)
            seen.append(item)
        return seen

    daifu_bc.protect(program, on_crash=policies.skip_iteration(on=ValueError, at_most=2), scope="nested")
    assert program() == [0, 2, 4]


def test_policies_joined_with_or():
    call = Failing(OSError, None, ValueError, Boom)

    def program():
        seen = []
        for item in range(3):
            call(item)  # 0: retried; 1: given up; 2: goes on behind it
            seen.append(item)
        return seen

    policy = policies.retry(on=OSError) | policies.skip_iteration(on=ValueError) | (lambda crash: Skip())
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == [0, 2]


def test_a_retry_further_out_does_not_start_the_count_of_what_fails_inside_afresh(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "5")
    asked = []

    def program():
        def middle():
            return [inner()]

        def inner():
            return {}["missing"]

        return [middle()]

    def policy(crash):
        asked.append((crash.function.rpartition(".")[2], crash.attempt))
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is KeyError
    names = ["inner", "middle", "program"]
    assert asked == [(name, attempt) for name in names for attempt in range(1, 6)]


def test_a_point_inside_that_is_refused_and_one_outside_that_is_retried_are_bounded():
    asked = []

    def program():
        def asker():
            item = iter_once()
            return next(item)

        return [asker()]

    def iter_once():
        yield {}["missing"]

    def policy(crash):
        asked.append(crash.attempt)
        return Retry() if crash.attempt < 3 else None

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is KeyError
    assert max(asked) == 3 and len(asked) <= 8


def test_the_count_inside_begins_again_once_a_retry_further_out_has_done_it():
    call = Failing(OSError, None, OSError, None, OSError, None)
    asked = []

    def program():
        def inner(value):
            return call(value)

        return [inner(value) for value in range(3)]

    def policy(crash):
        asked.append(crash.attempt)
        return daifu_bc.At(1, Retry())

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == [0, 1, 2]
    assert asked == [1, 1, 1]


def test_the_same_argument_in_another_round_is_a_first_attempt():
    def program():
        seen = []
        for epoch in range(4):
            for item in (1, 2):
                seen.append(read(item))
        return seen

    def read(item):
        return {1: "a"}[item]

    asked = []

    def policy(crash):
        asked.append(crash.attempt)
        return Return(None)

    daifu_bc.protect(read, scope="nested")
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == ["a", None] * 4
    assert asked == [1, 1, 1, 1]


def test_the_root_that_is_called_again_is_a_first_attempt():
    asked = []

    def program():
        return {}["missing"]

    def policy(crash):
        asked.append(crash.attempt)
        return Return(None)

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert [program() for _ in range(3)] == [None] * 3
    assert asked == [1, 1, 1]


def test_what_redo_makes_again_is_no_progress(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "4")
    asked = []

    def program():
        return [made := object(), {}["missing"], made]

    def policy(crash):
        asked.append(crash.attempt)
        return Redo()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is KeyError
    assert asked == [1, 2, 3, 4]


def test_module_code_makes_progress_too(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "3")

    def program():
        class Made:
            count = 0
            for number in range(10):
                {}["missing"]
                count += 1

        return Made.number

    daifu_bc.protect(program, on_crash=lambda crash: NextIteration(), scope="nested")
    assert program() == 9


def test_an_object_that_counts_makes_progress_too(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "3")

    class Trainer:
        step = 0

        def run(self):
            while self.step < 10:
                self.step += 1
                self.train()
            return self.step

        def train(self):
            return {}["missing"]

    daifu_bc.protect(Trainer, on_crash=lambda crash: Return(None), scope="nested")
    assert Trainer().run() == 10


def test_a_loop_in_which_nothing_changes_is_bounded(monkeypatch):
    monkeypatch.setenv("DAIFU_BC_MAX_ATTEMPTS", "3")
    asked = []

    def program():
        while True:
            {}["missing"]

    def policy(crash):
        asked.append(crash.attempt)
        return Skip()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert type(caught_from(program)) is KeyError
    assert asked == [1, 2, 3]
