"""A decision whose exception has to leave blocks first: what fails in those blocks meanwhile does not undo it."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

import daifu_bc
from daifu_bc import NextIteration, Retry, Return


class Failing:
    """Fails at its first call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, value=None):
        self.calls += 1
        if self.calls == 1:
            raise OSError("first")
        return value


def fails_and_is_handled():
    raise KeyError


@contextlib.contextmanager
def closing(log):
    try:
        yield
    finally:
        with contextlib.suppress(KeyError):
            fails_and_is_handled()
        log.append("left")


def below_a_finally(f, log):
    for number in range(3):
        try:
            f(number)
            log.append(number)
        finally:
            try:
                fails_and_is_handled()
            except KeyError:
                log.append("left")


def below_a_generator_manager(f, log):
    for number in range(3):
        with closing(log):
            f(number)
            log.append(number)


def below_an_exit_stack(f, log):
    for number in range(3):
        with contextlib.ExitStack() as stack:
            stack.enter_context(closing(log))
            f(number)
            log.append(number)


def below_two_finallys(f, log):
    for number in range(3):
        try:
            try:
                f(number)
                log.append(number)
            finally:
                with contextlib.suppress(KeyError):
                    fails_and_is_handled()
        finally:
            with contextlib.suppress(KeyError):
                fails_and_is_handled()
            log.append("left")


def below_clauses_for_groups(f, log):
    for number in range(3):
        try:
            raise ExceptionGroup("g", [ValueError(), KeyError()])
        except* LookupError:
            f(number)
            log.append(number)
        except* ValueError:
            try:
                raise
            except* ValueError:
                log.append("left")


PROGRAMS = [
    below_a_finally, below_a_generator_manager, below_an_exit_stack, below_two_finallys, below_clauses_for_groups
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_next_iteration_is_reached(program):
    asked, log = [], []

    def on_crash(crash):
        asked.append(type(crash.exception))
        return NextIteration()

    daifu_bc.protect(program, on_crash=on_crash, scope="module")(Failing(), log)
    assert asked == [OSError]
    assert log == ["left", 1, "left", 2, "left"]


def test_what_fails_on_the_way_is_asked_about_and_the_first_decision_is_kept():
    asked, log, tidy = [], [], Failing()

    def on_crash(crash):
        asked.append(str(crash.expression))
        return Return("left") if len(asked) == 1 else Retry()

    def program(f):
        try:
            return f("through")
        finally:
            log.append(tidy("tidied"))

    assert daifu_bc.protect(program, on_crash=on_crash)(Failing()) == "left"
    assert asked == ['f("through")', 'tidy("tidied")']
    assert log == ["tidied"]


def last_in_a_block(f, tidy, log):
    for number in range(3):
        log.append(number)
        try:
            f(number)
        finally:
            log.append(tidy(f"tidied {number}"))
        log.append("behind")


def last_in_a_with_block(f, tidy, log):
    @contextlib.contextmanager
    def tidying(number):
        try:
            yield
        finally:
            log.append(tidy(f"tidied {number}"))

    for number in range(3):
        log.append(number)
        with tidying(number):
            f(number)
        log.append("behind")


@pytest.mark.parametrize("program", [last_in_a_block, last_in_a_with_block], ids=lambda program: program.__name__)
@pytest.mark.parametrize("restart", [NextIteration(), daifu_bc.Skip()], ids=lambda restart: type(restart).__name__)
def test_a_block_whose_end_was_mended_is_left_as_it_was_decided(program, restart):
    log = []

    def on_crash(crash):
        return Retry() if "tidy" in str(crash.expression) else restart

    daifu_bc.protect(program, on_crash=on_crash, scope="nested")(Failing(), Failing(), log)
    rest = [1, "tidied 1", "behind", 2, "tidied 2", "behind"]
    assert log == [0, "tidied 0", *(["behind"] if isinstance(restart, daifu_bc.Skip) else []), *rest]


def test_who_has_let_it_go_is_not_asked_again():
    asked = []

    def inner(f):
        try:
            f()
        finally:
            with contextlib.suppress(KeyError):
                fails_and_is_handled()

    def outer(f):
        inner(f)

    def on_crash(crash):
        asked.append(crash.function)
        return daifu_bc.Abort()

    with pytest.raises(OSError) as left:
        daifu_bc.protect(outer, on_crash=on_crash, always=(OSError,))(Failing())
    assert len(asked) == 1 and not getattr(left.value, "__notes__", [])


def test_tasks_that_fail_while_another_leaves_its_blocks():
    asked, log = [], []

    async def other():
        for _ in range(5):
            await asyncio.sleep(0)
            with contextlib.suppress(KeyError):
                fails_and_is_handled()

    async def mended(f):
        try:
            f()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            log.append("left")

    async def main():
        return await asyncio.gather(mended(Failing()), other(), other())

    def on_crash(crash):
        asked.append(type(crash.exception))
        return Return("mended")

    for function in (other, mended):
        daifu_bc.protect(function, on_crash=on_crash)
    assert asyncio.run(main()) == ["mended", None, None]
    assert asked == [OSError] and log == ["left"]


def test_one_that_is_swallowed_on_its_way_is_forgotten():
    asked = []

    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            return False

    def program(f):
        for number in range(3):
            with manager:
                f(number)
        raise LookupError

    def on_crash(crash):
        asked.append(type(crash.exception))
        Manager.__exit__ = lambda self, kind, error, traceback: True
        return NextIteration() if len(asked) == 1 else Return("end")

    manager = Manager()
    assert daifu_bc.protect(program, on_crash=on_crash)(Failing()) == "end"
    assert asked == [OSError, LookupError]
