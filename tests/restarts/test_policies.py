"""Each policy decides on what it is for, is bounded, and passes on everything else."""

from __future__ import annotations

import errno
import sys
import types
import weakref
from typing import Any

import pytest

from daifu_bc.restarts.policies import abort, ask, free_memory, retry, skip_iteration
from daifu_bc.restarts.policy_memory import is_out_of_memory
from daifu_bc.restarts.restarts import Abort, At, NextIteration, Retry, Skip


class TestRetry:
    def test_decides_on_its_exceptions_and_their_subclasses_only(self, crash_of: Any) -> None:
        assert retry()(crash_of(FileNotFoundError())) == Retry()
        assert retry()(crash_of(ValueError())) is None
        assert retry(on=ValueError)(crash_of(ValueError())) == Retry()
        assert retry(on=(KeyError, ValueError))(crash_of(OSError())) is None

    def test_decides_three_times_in_a_row_by_default(self, crash_of: Any) -> None:
        decisions = [retry()(crash_of(attempt=attempt)) for attempt in (1, 2, 3, 4)]
        assert decisions == [Retry(), Retry(), Retry(), None]

    def test_number_of_attempts_can_be_chosen(self, crash_of: Any) -> None:
        assert retry(attempts=1)(crash_of(attempt=2)) is None
        assert retry(attempts=9)(crash_of(attempt=9)) == Retry()

    def test_a_refused_retry_is_passed_on_with_the_reason_noted_once(self, crash_of: Any) -> None:
        crash = crash_of(refuses=lambda restart: "the generator is finished")
        policy = retry()
        assert policy(crash) is None
        assert policy(crash) is None
        assert len(crash.exception.__notes__) == 1
        assert "the generator is finished" in crash.exception.__notes__[0]

    def test_nothing_is_waited_for_a_refused_retry(self, crash_of: Any, slept: list[float]) -> None:
        retry(wait=5)(crash_of(refuses=lambda restart: "no"))
        assert slept == []

    @pytest.mark.parametrize("bad", ["OSError", int, (OSError, "x"), 3])
    def test_what_is_no_exception_class_is_said_at_once(self, bad: Any) -> None:
        with pytest.raises(TypeError, match="exception classes are needed"):
            retry(on=bad)

    def test_attempts_below_one_are_said_at_once(self) -> None:
        with pytest.raises(ValueError, match="attempts"):
            retry(attempts=0)


class TestSkipIteration:
    def test_goes_on_with_the_next_item_of_the_loop_around_the_crash(self, crash_of: Any) -> None:
        assert skip_iteration()(crash_of(ValueError())) == NextIteration()

    def test_passes_on_where_there_is_no_loop(self, crash_of: Any) -> None:
        assert skip_iteration()(crash_of(frames=[crash_of.Frame(), crash_of.Frame()])) is None

    def test_finds_the_loop_of_the_nearest_caller(self, crash_of: Any) -> None:
        frames = [
            crash_of.Frame(["inner"]),
            crash_of.Frame(),
            crash_of.Frame(["outer"]),
            crash_of.Frame(["outermost"]),
        ]
        assert skip_iteration()(crash_of(frames=frames, frame=1)) == At(2, NextIteration())

    def test_decides_three_times_in_a_row_by_default(self, crash_of: Any) -> None:
        decisions = [skip_iteration()(crash_of(attempt=attempt)) for attempt in (3, 4)]
        assert decisions == [NextIteration(), None]

    def test_at_most_counts_over_the_whole_run(self, crash_of: Any) -> None:
        policy = skip_iteration(on=OSError, at_most=2)
        decisions = [policy(crash_of(attempt=attempt)) for attempt in (7, 1, 1)]
        assert decisions == [NextIteration(), NextIteration(), None]

    def test_refused_and_foreign_crashes_do_not_count(self, crash_of: Any) -> None:
        policy = skip_iteration(on=OSError, at_most=1)
        assert policy(crash_of(refuses=lambda restart: "no")) is None
        assert policy(crash_of(ValueError())) is None
        assert policy(crash_of()) == NextIteration()

    def test_keyboard_interrupt_is_not_skipped(self, crash_of: Any) -> None:
        assert skip_iteration()(crash_of(KeyboardInterrupt())) is None


class OutOfMemoryError(RuntimeError):
    """As torch names it."""


class TestFreeMemory:
    @pytest.mark.parametrize(
        "exception",
        [
            MemoryError(),
            OutOfMemoryError("no phrase in it"),
            RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
            RuntimeError("cuBLAS error: CUBLAS_STATUS_ALLOC_FAILED"),
            OSError(errno.ENOMEM, "Cannot allocate memory"),
        ],
    )
    def test_retries_where_memory_ran_out(self, crash_of: Any, exception: BaseException) -> None:
        assert is_out_of_memory(exception)
        assert free_memory()(crash_of(exception)) == Retry()

    @pytest.mark.parametrize(
        "exception", [RuntimeError("shapes"), OSError(2, "x"), ValueError("out of memory")]
    )
    def test_passes_on_everything_else(self, crash_of: Any, exception: BaseException) -> None:
        assert free_memory()(crash_of(exception)) is None

    def test_is_bounded(self, crash_of: Any) -> None:
        assert free_memory(attempts=2)(crash_of(MemoryError(), attempt=3)) is None

    def test_frees_cycles_and_variables_of_ended_calls(self, crash_of: Any) -> None:
        class Big:
            pass

        seen: list[weakref.ref[Big]] = []

        def ended() -> None:
            activations = Big()
            seen.append(weakref.ref(activations))
            cycle = Big()
            cycle.itself = cycle  # type: ignore[attr-defined]
            seen.append(weakref.ref(cycle))
            raise MemoryError

        try:
            ended()
        except MemoryError as error:
            assert free_memory()(crash_of(error)) == Retry()
            assert [ref() for ref in seen] == [None, None]

    def test_leaves_living_frames_and_generators_as_they_are(self, crash_of: Any) -> None:
        def numbers() -> Any:
            yield 1
            try:
                yield 2
            except MemoryError:
                yield 3
            yield 4

        here, generator = "alive", numbers()
        next(generator), next(generator)
        error = MemoryError()
        assert generator.throw(error) == 3
        try:
            raise error
        except MemoryError:
            free_memory()(crash_of(error))
        assert here == "alive"
        assert next(generator) == 4

    def test_empties_the_device_caches_if_torch_is_imported(
        self, crash_of: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        emptied: list[str] = []

        def device(name: str, available: bool) -> types.SimpleNamespace:
            return types.SimpleNamespace(
                is_available=lambda: available, empty_cache=lambda: emptied.append(name)
            )

        torch = types.SimpleNamespace(cuda=device("cuda", True), mps=device("mps", False))
        monkeypatch.setitem(sys.modules, "torch", torch)
        free_memory()(crash_of(MemoryError()))
        assert emptied == ["cuda"]

    def test_frees_nothing_when_it_is_refused(self, crash_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gc.collect", lambda: pytest.fail("collected"))
        assert free_memory()(crash_of(MemoryError(), refuses=lambda restart: "no")) is None


class TestAskAndAbort:
    def console(self, monkeypatch: pytest.MonkeyPatch, available: bool, answer: Any) -> None:
        module: Any = types.ModuleType("daifu_bc.console.local")
        module.available = lambda: available
        module.ask = lambda crash: answer
        monkeypatch.setitem(sys.modules, "daifu_bc.console.local", module)

    def test_ask_takes_the_consoles_answer_as_it_is(
        self, crash_of: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.console(monkeypatch, True, Skip())
        assert ask()(crash_of(refuses=lambda restart: "would lose an item")) == Skip()

    def test_ask_passes_on_without_a_terminal(self, crash_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.console(monkeypatch, False, Skip())
        assert ask()(crash_of()) is None

    def test_ask_passes_on_when_the_console_does(
        self, crash_of: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.console(monkeypatch, True, None)
        assert ask()(crash_of()) is None

    def test_abort_is_always_possible(self, crash_of: Any) -> None:
        assert abort()(crash_of(refuses=lambda restart: "no")) == Abort()


def test_policies_read_as_sentences() -> None:
    assert repr(retry()) == "retry on OSError, at most 3 times in a row"
    assert repr(retry(on=(OSError, KeyError), attempts=5, wait=0.5)) == (
        "retry on OSError or KeyError, at most 5 times in a row, after 0.5 s"
    )
    assert (
        repr(skip_iteration(on=ValueError, at_most=7))
        == "skip the iteration on ValueError, at most 7 times in all"
    )
    assert repr(free_memory()) == "free memory and retry, at most 3 times in a row"
    assert repr(ask() | abort()) == "ask in the console | abort"
