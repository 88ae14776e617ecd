"""protect, unprotect, is_protected: `__code__` is swapped in place and comes back."""

from __future__ import annotations

import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import daifu_bc
from daifu_bc import instrument, swaps
from daifu_bc.crash.entries import entry_of
from daifu_bc.errors import CannotProtect, InternalError
from daifu_bc.instrument import is_protected, protect, unprotect
from daifu_bc.transform.registry import original_of, protection_of


def add(a: int, b: int = 2, *, c: int = 3) -> int:
    """Adds."""
    return a + b + c


def policy(crash: object) -> None:
    return None


def test_protect_returns_the_same_function_with_other_code() -> None:
    before = add.__code__
    assert protect(add) is add
    assert add.__code__ is not before
    assert protection_of(add.__code__) is not None
    assert add(1) == 6
    assert is_protected(add)


def test_unprotect_gives_the_very_code_object_back() -> None:
    before = add.__code__
    protect(add)
    assert unprotect(add) is add
    assert add.__code__ is before
    assert not is_protected(add)


def test_protecting_twice_is_protecting_once() -> None:
    before = add.__code__
    protect(add)
    once = add.__code__
    protect(add)
    assert add.__code__ is once
    unprotect(add)
    assert add.__code__ is before


def test_protecting_again_without_settings_keeps_the_settings() -> None:
    protect(add, on_crash=policy)
    protect(add)
    entry = entry_of(add.__code__)
    assert entry is not None and entry.on_crash is policy


def test_protecting_again_with_settings_replaces_them() -> None:
    before = add.__code__
    protect(add, on_crash=policy)
    protect(add, scope="module", keep="all", always=KeyError)
    entry = entry_of(add.__code__)
    assert entry is not None
    assert (entry.on_crash, entry.scope, entry.keep, entry.always) == (None, "module", "all", (KeyError,))
    assert original_of(add.__code__) is before
    unprotect(add)
    assert add.__code__ is before


def test_it_is_a_decorator_with_and_without_arguments() -> None:
    @protect
    def plain() -> int:
        return 1

    @protect(on_crash=policy, scope="nested")
    def with_arguments() -> int:
        return 2

    @protect()
    def with_empty_arguments() -> int:
        return 3

    assert (plain(), with_arguments(), with_empty_arguments()) == (1, 2, 3)
    assert all(is_protected(f) for f in (plain, with_arguments, with_empty_arguments))
    entry = entry_of(with_arguments.__code__)
    assert entry is not None and entry.on_crash is policy and entry.scope == "nested"


def test_signature_defaults_documentation_and_pickling_are_those_of_the_function() -> None:
    facts = (inspect.signature(add), add.__defaults__, add.__kwdefaults__, add.__doc__, add.__qualname__)
    source = inspect.getsource(add)
    protect(add)
    assert facts == (
        inspect.signature(add),
        add.__defaults__,
        add.__kwdefaults__,
        add.__doc__,
        add.__qualname__,
    )
    assert inspect.getsource(add) == source
    assert pickle.loads(pickle.dumps(add)) is add


def make_counter() -> Callable[[], int]:
    count = 0

    def counter() -> int:
        nonlocal count
        count += 1
        return count

    return counter


def test_only_the_closure_that_was_named_is_an_entry() -> None:
    one, other = make_counter(), make_counter()
    protect(one)
    assert entry_of(one.__code__) is not None
    assert entry_of(other.__code__) is None and not is_protected(other)
    assert (one(), one(), other()) == (1, 2, 1)


def test_closures_of_one_def_have_settings_of_their_own() -> None:
    one, other = make_counter(), make_counter()
    protect(one, on_crash=policy)
    protect(other, keep="all")
    first, second = entry_of(one.__code__), entry_of(other.__code__)
    assert first is not None and second is not None
    assert first.on_crash is policy and second.on_crash is None and second.keep == "all"


def test_a_closure_made_by_protected_code_becomes_an_entry_alone() -> None:
    protect(make_counter, scope="nested")
    one, other = make_counter(), make_counter()
    assert is_protected(one) and entry_of(one.__code__) is None
    protect(one, scope="nested")
    assert entry_of(one.__code__) is not None
    assert entry_of(other.__code__) is None


def test_unprotect_takes_the_protection_that_a_closure_was_born_with() -> None:
    compiled = make_counter().__code__
    protect(make_counter, scope="nested")
    counter = make_counter()
    unprotect(counter)
    assert counter.__code__ is compiled
    assert (counter(), counter()) == (1, 2)


def test_code_that_was_given_to_the_function_in_the_meantime_stays() -> None:
    def victim() -> int:
        return 1

    def other() -> int:
        return 2

    protect(victim)
    victim.__code__ = other.__code__
    assert not is_protected(victim)
    unprotect(victim)
    assert victim() == 2
    protect(victim)
    assert is_protected(victim) and victim() == 2
    unprotect(victim)
    assert victim.__code__ is other.__code__


def test_entries_of_functions_that_died_are_dropped() -> None:
    def make() -> Callable[[], int]:
        namespace: dict[str, Any] = {}
        exec("def f():\n    return 1", namespace)
        return protect(namespace["f"], scope="nested")

    for _ in range(1000):
        make()()
    gc.collect()
    assert len(instrument._entries) < 300


def test_a_def_that_is_protected_each_time_it_runs_is_transformed_once() -> None:
    codes = set()
    for _ in range(10):

        @protect(scope="nested")
        def inner() -> int:
            return 1

        codes.add(id(inner.__code__))
    assert len(codes) == 1


def test_protecting_keeps_no_function_alive() -> None:
    counter = make_counter()
    protect(counter)
    gone = weakref.ref(counter)
    del counter
    gc.collect()
    assert gone() is None


def test_a_running_call_goes_on_as_it_was() -> None:
    def numbers() -> Any:
        yield 1
        protect(numbers, scope="nested")
        yield 2
        unprotect(numbers)
        yield 3

    assert list(numbers()) == [1, 2, 3]


def test_off_leaves_everything_untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAIFU_BC_OFF", "1")
    before = add.__code__
    assert protect(add) is add and protect(on_crash=policy)(add) is add
    assert add.__code__ is before and not is_protected(add)
    assert protect(len) is len


def test_off_is_not_what_zero_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAIFU_BC_OFF", "0")
    assert is_protected(protect(add))


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"scope": "world"}, ValueError, "'world'"),
        ({"keep": "none"}, ValueError, "'none'"),
        ({"on_crash": 3}, TypeError, "3"),
        ({"always": (3,)}, TypeError, "3 is not an exception class"),
        ({"always": 3}, TypeError, "3"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        protect(add, **settings)
    assert not is_protected(add)


def test_always_may_be_a_function_of_the_exception() -> None:
    def is_memory(error: BaseException) -> bool:
        return isinstance(error, MemoryError)

    protect(add, always=is_memory)
    entry = entry_of(add.__code__)
    assert entry is not None and entry.always is is_memory


def test_code_that_cannot_be_protected_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(code: Any, settings: object) -> Any:
        raise CannotProtect(f"{code.co_name} is odd")

    monkeypatch.setattr(swaps, "protect_code", refuse)

    def odd() -> int:
        return 1

    before = odd.__code__
    with pytest.raises(CannotProtect, match="odd is odd"):
        protect(odd)
    assert odd.__code__ is before and not is_protected(odd)
    assert "odd is odd" in str(swaps.why_refused(odd))


def test_a_fault_of_ours_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(code: Any, settings: object) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(swaps, "protect_code", break_down)

    def victim() -> int:
        return 1

    with pytest.raises(InternalError, match="ZeroDivisionError: oh"):
        protect(victim)
    assert victim() == 1


def test_a_function_that_takes_no_other_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def other() -> int:
        return 1

    monkeypatch.setattr(swaps, "protect_code", lambda code, settings: other.__code__)
    counter = make_counter()
    with pytest.raises(CannotProtect, match="takes no other code"):
        protect(counter)
    assert counter() == 1 and not is_protected(counter)


def test_calls_that_run_already_go_on_being_asked_when_their_function_is_protected_anew() -> None:
    failures = iter([1, 1, 1])
    asked: list[str] = []

    def work() -> list[int]:
        for _ in failures:
            raise_once()
        return [1]

    def raise_once() -> None:
        if fails.pop():
            raise LookupError

    fails = [False, True, False, True, False, True]

    def policy(crash: Any) -> object:
        asked.append(crash.function)
        daifu_bc.unprotect(work)
        daifu_bc.protect(work, on_crash=policy, scope="nested", keep="all")
        return daifu_bc.Retry()

    daifu_bc.protect(work, on_crash=policy, scope="nested")
    assert work() == [1]
    assert len(asked) == 3
    daifu_bc.unprotect(work)


def test_calls_that_run_already_go_on_being_asked_when_their_function_is_unprotected() -> None:
    fails = [False, True, False, True]

    def work() -> int:
        for _ in range(2):
            if fails.pop():
                raise_it()
        return 1

    def raise_it() -> None:
        raise LookupError

    asked = []

    def policy(crash: Any) -> object:
        asked.append(crash)
        daifu_bc.unprotect(work)
        return daifu_bc.Skip()

    daifu_bc.protect(work, on_crash=policy, scope="nested")
    assert work() == 1 and len(asked) == 1
    fails[:] = [True, True]
    with pytest.raises(LookupError):
        work()
    assert len(asked) == 1


def test_generated_functions_go_with_their_code() -> None:
    """A generator's code, and the code of a refused function, are kept by nothing of ours."""
    dead = []
    for number in range(3):
        namespace: dict[str, Any] = {}
        exec(f"def items(f):\n yield f({number})\n", namespace)
        function = daifu_bc.protect(namespace.pop("items"), scope="nested")
        assert list(function(str)) == [str(number)]
        daifu_bc.unprotect(daifu_bc.protect(function, on_crash=lambda crash: None, scope="nested"))
        dead.append(weakref.ref(function.__code__))
        del function
        instrument._sweep()
    gc.collect()
    assert [ref() for ref in dead] == [None] * 3
