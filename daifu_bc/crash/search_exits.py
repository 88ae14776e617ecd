"""What an `__exit__` returns, and what a generator behind @contextmanager does, read from their code.

In: a class, a function or a generator, a flight. Out: Verdict, or None where it cannot be told.
Always true: nothing is called; code that is protected is read in its original form.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import AsyncGeneratorType, CodeType, FunctionType, GeneratorType
from typing import Any, Final, Protocol

from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.handlers_nodes import With
from daifu_bc.crash.handlers_symbols import (
    Argument,
    Attribute,
    Called,
    Constant,
    Negated,
    SuperAttribute,
    Symbol,
    Test,
)  # fmt: skip
from daifu_bc.crash.search_flights import Flight
from daifu_bc.crash.search_harmless import C_PACKAGES
from daifu_bc.crash.search_methods import space_of_method
from daifu_bc.crash.search_names import (
    UNKNOWN,
    Space,
    in_class,
    is_exactly,
    matches,
    mro,
    namespace,
    resolve,
    space_of_frame,
    space_of_function,
)  # fmt: skip
from daifu_bc.crash.search_walk import Verdict, follow
from daifu_bc.transform.registry import original_of, protection_of

_STACKS: Final = frozenset({"ExitStack", "AsyncExitStack"})
_FROZEN: Final = gc.get_freeze_count()  # some Pythons start with what they have made, hidden from gc.get_objects()
_GENERATES: Final = CO_GENERATOR | CO_ASYNC_GENERATOR


class Judging(Protocol):
    """search_managers.Judge, as far as it is needed here."""

    def __call__(self, site: With, flight: Flight, space: Space) -> Verdict: ...

    def instance(self, thing: object, is_async: bool, flight: Flight) -> Verdict | None:
        """What a context manager does that is at hand."""

    def deeper(self) -> Judging | None:
        """The same for code inside; None: deep enough."""


def passes(flight: Flight) -> Verdict:
    """Not swallowed."""
    return Verdict(False, False, (flight,))


def swallowed(narrow: bool = False) -> Verdict:
    """Swallowed."""
    return Verdict(True, narrow, ())


def either(verdicts: Iterable[Verdict]) -> Verdict:
    """One of these happens."""
    all_ = list(verdicts)
    leaves = {left.key: left for one in all_ for left in one.leaves}
    return Verdict(any(one.swallows for one in all_), any(one.narrow for one in all_), tuple(leaves.values()))


def exit_of(
    cls: type, is_async: bool, flight: Flight, itself: object, judge: Judging, after: type | None = None
) -> Verdict | None:
    """What the `__exit__` of `cls` does. `itself`: instance or UNKNOWN; `after`: only bases behind it."""
    name = "__aexit__" if is_async else "__exit__"
    order = mro(cls)
    for base in order[order.index(after) + 1 if after is not None else 0 :]:
        found = namespace(base).get(name)
        if type(found) is FunctionType:
            return _exit_function(found, base, cls, flight, itself, judge)
        if found is not None:
            return passes(flight) if _in_known_c(base) else None
    return None


def _in_known_c(base: type) -> bool:
    module = namespace(base).get("__module__", "builtins")
    return isinstance(module, str) and module.partition(".")[0] in C_PACKAGES


def _exit_function(
    function: FunctionType, base: type, cls: type, flight: Flight, itself: object, judge: Judging
) -> Verdict | None:
    is_async = function.__name__ == "__aexit__"
    code = original_of(function.__code__)
    deeper = judge.deeper()
    is_coroutine = bool(code.co_flags & CO_COROUTINE)
    if deeper is None or code.co_flags & _GENERATES or (is_coroutine and not is_async):
        return None
    space = space_of_function(function, itself)
    outcome = follow(table_of(code).function(is_exit=True), flight, space, deeper)
    verdicts = [Verdict(False, False, tuple(outcome.leaves))]
    for value in outcome.returns:
        if is_async and not is_coroutine:
            verdict = _awaited(value, cls, flight, space, deeper)
        else:
            verdict = _returned(value, is_async, flight, space, deeper)
        by_super = isinstance(value, Called) and value.callee == SuperAttribute(function.__name__)
        if verdict is None and by_super:
            verdict = exit_of(cls, is_async, flight, itself, deeper, after=base)
        if verdict is None:
            wrapped = function.__dict__.get("__wrapped__")  # a wrapper gives back what it wraps gives
            if type(wrapped) is not FunctionType or wrapped is function:
                return None
            return _exit_function(wrapped, base, cls, flight, itself, deeper)
        verdicts.append(verdict)
    return either(verdicts)


def _returned(
    value: Symbol | None, is_async: bool, flight: Flight, space: Space, judge: Judging
) -> Verdict | None:
    """An `__exit__` that returns `value`."""
    match value:
        case Constant(constant, _):
            return swallowed() if constant else passes(flight)
        case Negated(Test() as test):
            return _by_match(_answer(test, flight, space), flight, negated=True)
        case Test():
            return _by_match(_answer(value, flight, space), flight, negated=False)
        case Called(Attribute(inner, "__exit__" | "__aexit__"), _):
            manager = resolve(inner, space)
            return judge.instance(manager, is_async, flight) if manager is not UNKNOWN else None
    return None


def _awaited(
    value: Symbol | None, cls: type, flight: Flight, space: Space, judge: Judging
) -> Verdict | None:
    """An `__aexit__` that is a plain function and returns `value`, which is then awaited."""
    if not isinstance(value, Called):
        return None
    if isinstance(value.callee, Attribute) and value.callee.name == "__aexit__":
        return _returned(value, True, flight, space, judge)
    function = resolve(value.callee, space)
    if function is UNKNOWN and isinstance(value.callee, Attribute) and value.callee.base == Argument(0):
        function = in_class(cls, value.callee.name)
    if type(function) is FunctionType and original_of(function.__code__).co_flags & CO_COROUTINE:
        return callback(function, flight, judge)
    return None


def _answer(test: Test, flight: Flight, space: Space) -> bool | None:
    compare = is_exactly if test.exact else matches
    return compare(flight.type, resolve(test.types, space))


def _by_match(matched: bool | None, flight: Flight, negated: bool) -> Verdict | None:
    if matched is None:
        return None
    return passes(flight) if matched == negated else swallowed(narrow=not negated)


def callback(function: FunctionType, flight: Flight, judge: Judging) -> Verdict | None:
    """What a function does that was pushed onto an ExitStack."""
    deeper = judge.deeper()
    if deeper is None:
        return None
    space = space_of_function(function)
    outcome = follow(table_of(original_of(function.__code__)).function(is_exit=False), flight, space, deeper)
    if all(isinstance(value, Constant) and not value.value for value in outcome.returns):
        ends = [passes(flight)] if outcome.returns else []
        return either([*ends, Verdict(False, False, tuple(outcome.leaves))])
    return None


def generator_function(
    function: FunctionType, flight: Flight, judge: Judging, owner: object = UNKNOWN
) -> Verdict | None:
    """What the generator of a @contextmanager function does, wherever it may have yielded.

    What an ExitStack holds is seen only in a generator that lives: the one in question waits at its yield.
    """
    code = original_of(function.__code__)
    places = table_of(code).yields() if code.co_flags & _GENERATES else []
    if not places:
        return None
    space = space_of_method(function, owner)
    verdict = either(_thrown(code, place, space, flight, judge) for place in places)
    if verdict.swallows and not verdict.narrow and not _STACKS.isdisjoint(code.co_names):
        known = [generator(one, is_async, flight, judge) for one, is_async in _living(code)]
        verdicts = [one for one in known if one is not None]
        return either(verdicts) if verdicts and len(verdicts) == len(known) else verdict
    return verdict


def _living(code: CodeType) -> list[tuple[object, bool]]:
    """The generators of this code that wait at a yield, each with: is it asynchronous?"""
    if gc.get_freeze_count() > _FROZEN:
        return []  # some may not be shown
    is_async = bool(code.co_flags & CO_ASYNC_GENERATOR)
    kind, name = (AsyncGeneratorType, "ag") if is_async else (GeneratorType, "gi")
    found: list[Any] = [thing for thing in gc.get_objects() if type(thing) is kind]
    mine = [one for one in found if original_of(getattr(one, f"{name}_code")) is code]
    return [(one, is_async) for one in mine if getattr(one, f"{name}_suspended")]


def generator(running: Any, is_async: bool, flight: Flight, judge: Judging) -> Verdict | None:
    """What a generator does that waits at a yield."""
    frame = running.ag_frame if is_async else running.gi_frame
    if frame is None:
        return None
    protection = protection_of(frame.f_code)
    code = protection.original if protection is not None else frame.f_code
    offset = protection.to_original(frame.f_lasti) if protection is not None else frame.f_lasti
    return _thrown(code, offset, space_of_frame(frame), flight, judge) if offset >= 0 else None


def _thrown(code: Any, offset: int, space: Space, flight: Flight, judge: Judging) -> Verdict:
    chain = table_of(code).chain(offset)
    deeper = judge.deeper()
    if chain is None:
        return passes(flight)
    if deeper is None:
        return swallowed()
    outcome = follow(chain, flight, space, deeper)
    if outcome.caught is not None:
        return swallowed(outcome.caught.narrow)
    return Verdict(False, False, tuple(outcome.leaves))
