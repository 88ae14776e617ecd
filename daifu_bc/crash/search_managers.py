"""Would a context manager swallow an exception? Judged without calling anything.

In: a `with` as its handler sees it, a flight, the frame's variables. Out: Verdict.
Always true: what cannot be told swallows (in doubt the exception is left alone).

The manager of a `with` lies on the value stack, which only the frame's own barrier can show (`known`).
Elsewhere the expression is resolved: a variable or attribute gives the manager itself, a call gives its
class, or the generator function behind @contextmanager, or what a plain function returns; last, the variable
of `as` may be the manager.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Mapping, Sequence
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any, Final

from daifu_bc.crash import search_exits as exits
from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.handlers_nodes import With
from daifu_bc.crash.handlers_symbols import Attribute, Called, Symbol
from daifu_bc.crash.search_exits import passes, swallowed
from daifu_bc.crash.search_flights import Flight, is_group, without
from daifu_bc.crash.search_harmless import FUNCTIONS
from daifu_bc.crash.search_levels import NOTHING_KNOWN
from daifu_bc.crash.search_methods import (
    class_of,
    meaning_of,
    method_owner,
    property_getter,
    space_of_method,
    value_of,
)  # fmt: skip
from daifu_bc.crash.search_names import (
    UNKNOWN,
    Space,
    in_class,
    is_class,
    is_exception_class,
    matches,
    narrow,
    own_values,
    resolve,
)  # fmt: skip
from daifu_bc.crash.search_walk import Verdict, follow
from daifu_bc.transform.registry import original_of

_DEEPEST: Final = 6  # managers inside managers
_STACKS: Final = (contextlib.ExitStack, contextlib.AsyncExitStack)
_GENERATOR_MANAGERS: Final = (contextlib._GeneratorContextManager, contextlib._AsyncGeneratorContextManager)
_HELPERS: Final = ("contextmanager.<locals>.", "asynccontextmanager.<locals>.")
_type_call: Final = type.__dict__["__call__"]
_NO_FUNCTION_RETURNS: Final = 0x20 | 0x80 | 0x200  # generators, coroutines, async generators


class Judge:
    """Judges context managers, `depth` of them inside one another."""

    def __init__(self, depth: int = 0, known: Mapping[int, object] = NOTHING_KNOWN) -> None:
        self._depth = depth
        self._known = known  # byte offset of a handler -> the context manager that it is of
        self._deeper: Judge | None = None

    def deeper(self) -> Judge | None:
        """For code inside; None: deep enough."""
        if self._deeper is None and self._depth < _DEEPEST:
            self._deeper = Judge(self._depth + 1)
        return self._deeper

    def __call__(self, site: With, flight: Flight, space: Space) -> Verdict:
        """What the manager of `site` does with `flight`."""
        known = self._known.get(site.offset, _recreated(space))
        if known is not None:
            verdict = self.instance(known, site.is_async, flight)
            if verdict is not None:
                return verdict
        arguments, verdict = self._by_expression(site, flight, space)
        if verdict is not None and not verdict.swallows:
            return verdict
        target = resolve(site.target, space)
        if verdict is None and target is not UNKNOWN:
            verdict = self.instance(target, site.is_async, flight)
        manager = target if verdict is not None else UNKNOWN
        if verdict is None:
            verdict = Verdict(True, False, (flight,))
        named = [*arguments, *own_values(manager), *own_values(resolve(site.expression, space))]
        return verdict if verdict.narrow or not verdict.swallows else _naming(verdict, named, flight)

    def _by_expression(
        self, site: With, flight: Flight, space: Space
    ) -> tuple[Sequence[object], Verdict | None]:
        if isinstance(site.expression, Called):
            arguments = [resolve(argument, space) for argument in site.expression.arguments]
            callee = meaning_of(site.expression.callee, space)
            if callee is UNKNOWN:
                return arguments, self._by_property(site.expression, arguments, site.is_async, flight, space)
            owner = method_owner(site.expression.callee, callee, space)
            return arguments, self._called(callee, arguments, site.is_async, flight, owner)
        manager = resolve(site.expression, space)
        return (), self.instance(manager, site.is_async, flight) if manager is not UNKNOWN else None

    def _by_property(
        self, call: Called, arguments: Sequence[object], is_async: bool, flight: Flight, space: Space
    ) -> Verdict | None:
        """What the manager does that a method gave whose owner is the value of a property: `self.plugin.context()`."""
        deeper = self.deeper()
        getter, owner = property_getter(call.callee, space)
        if getter is None or deeper is None or not isinstance(call.callee, Attribute):
            return None
        inside = space_of_method(getter, owner)
        outcome = follow(table_of(original_of(getter.__code__)).function(is_exit=False), flight, inside, deeper)
        verdicts = [
            deeper._called(in_class(class_of(value), call.callee.name), arguments, is_async, flight, value)
            for value in (value_of(symbol, inside) for symbol in outcome.returns)
        ]
        known = [verdict for verdict in verdicts if verdict is not None]
        return exits.either(known) if known and len(known) == len(verdicts) else None

    def instance(self, thing: object, is_async: bool, flight: Flight) -> Verdict | None:
        """What a context manager does that is at hand."""
        cls = type(thing)
        if cls is contextlib.suppress:
            return _suppress(thing._exceptions, flight)  # type: ignore[attr-defined]
        if issubclass(cls, _GENERATOR_MANAGERS):
            return self._generator_manager(thing, is_async, flight)
        if issubclass(cls, _STACKS):
            return self._exit_stack(thing, flight)
        return exits.exit_of(cls, is_async, flight, thing, self)

    def _generator_manager(self, manager: Any, is_async: bool, flight: Flight) -> Verdict | None:
        """A @contextmanager's; one that was only made decorates, and its function is called anew each time."""
        state = inspect.getasyncgenstate if is_async else inspect.getgeneratorstate
        if state(manager.gen).endswith("_CREATED") and type(manager.func) is FunctionType:
            return exits.generator_function(manager.func, flight, self)
        return exits.generator(manager.gen, is_async, flight, self)

    def _exit_stack(self, stack: Any, flight: Flight) -> Verdict | None:
        verdicts = [passes(flight)]
        for is_sync, function in list(stack._exit_callbacks):
            verdict = None
            if type(function) in (MethodType, BuiltinMethodType):
                verdict = self.instance(function.__self__, not is_sync, flight)
            elif type(function) is FunctionType:
                verdict = exits.callback(function, flight, self)
            if verdict is None:
                return None
            verdicts.append(verdict)
        return exits.either(verdicts)

    def _called(
        self,
        callee: object,
        arguments: Sequence[object],
        is_async: bool,
        flight: Flight,
        owner: object = UNKNOWN,
    ) -> Verdict | None:
        """What the manager does that a call of `callee` gave, a method of `owner` if that is known."""
        if type(callee) is functools.partial:
            return self._called(callee.func, (*callee.args, *arguments), is_async, flight)
        if type(callee) is MethodType:
            owner = callee.__self__
            callee = callee.__func__
        if callee is contextlib.suppress:
            return _suppress(tuple(arguments), flight)
        if callee is UNKNOWN:
            return None
        if is_class(callee):
            return self._made(callee, is_async, flight)
        if _full_name(callee) in FUNCTIONS:
            return passes(flight)
        if type(callee) is FunctionType:
            return self._from_function(callee, is_async, flight, owner)
        call = in_class(type(callee), "__call__")
        return self._from_function(call, is_async, flight, callee) if type(call) is FunctionType else None

    def _made(self, cls: type, is_async: bool, flight: Flight) -> Verdict | None:
        known = not issubclass(cls, (*_STACKS, *_GENERATOR_MANAGERS, contextlib.suppress))
        if not known or in_class(type(cls), "__call__") is not _type_call:
            return None
        return exits.exit_of(cls, is_async, flight, UNKNOWN, self)

    def _from_function(
        self, function: FunctionType, is_async: bool, flight: Flight, owner: object
    ) -> Verdict | None:
        wrapped = function.__dict__.get("__wrapped__")
        if type(wrapped) is FunctionType and wrapped is not function:
            helper = function.__code__.co_qualname.startswith(_HELPERS)
            if helper and function.__globals__ is vars(contextlib):
                return exits.generator_function(wrapped, flight, self, owner)
            deeper = self.deeper()
            verdict = self._from_returns(function, is_async, flight, owner)
            return deeper._called(wrapped, (), is_async, flight, owner) if verdict is None and deeper else verdict
        return self._from_returns(function, is_async, flight, owner)

    def _from_returns(
        self, function: FunctionType, is_async: bool, flight: Flight, owner: object
    ) -> Verdict | None:
        """What the managers do that a plain function can return."""
        deeper = self.deeper()
        code = original_of(function.__code__)
        if deeper is None or code.co_flags & _NO_FUNCTION_RETURNS:
            return None
        space = space_of_method(function, owner)
        outcome = follow(table_of(code).function(is_exit=False), flight, space, deeper)
        verdicts = [deeper._of_value(value, space, is_async, flight) for value in outcome.returns]
        known = [verdict for verdict in verdicts if verdict is not None]
        return exits.either(known) if known and len(known) == len(verdicts) else None

    def _of_value(self, value: Symbol | None, space: Space, is_async: bool, flight: Flight) -> Verdict | None:
        if isinstance(value, Called):
            arguments = [resolve(argument, space) for argument in value.arguments]
            callee = meaning_of(value.callee, space)
            return self._called(callee, arguments, is_async, flight, method_owner(value.callee, callee, space))
        found = resolve(value, space)
        return self.instance(found, is_async, flight) if found is not UNKNOWN else None


def _recreated(space: Space) -> object:
    """In a function that a context manager decorates, the manager itself stands for the one made for the call."""
    owner = space.local("self") if space.globals is vars(contextlib) else None
    return owner if isinstance(owner, (contextlib.ContextDecorator, contextlib.AsyncContextDecorator)) else None


def _suppress(types: tuple[object, ...], flight: Flight) -> Verdict:
    """contextlib.suppress takes an exception, or a group all of whose leaves match."""
    matched = [matches(leaf, types) for leaf in (flight.type, *flight.leaves)]
    named = narrow(types)
    if matched[0] or all(matched[1:]):
        return swallowed(named)
    if False in matched[1:] and matched[0] is False:
        return Verdict(False, False, (without(flight, types) if is_group(flight) else flight,))
    return Verdict(True, named, (flight,))


def _naming(verdict: Verdict, named: Sequence[object], flight: Flight) -> Verdict:
    """`verdict` of a manager that may have been told what to take: pytest.raises(ValueError) and its kind."""
    for one in named:
        classes = one if type(one) is tuple else (one,)
        if all(map(is_exception_class, classes)) and narrow(one) and matches(flight.type, one):
            return Verdict(True, True, verdict.leaves)
    return verdict


def _full_name(callee: object) -> tuple[object, object]:
    if type(callee) is FunctionType:
        return callee.__module__, callee.__qualname__
    if type(callee) in (type(len), type([].append)):
        return callee.__module__, callee.__qualname__  # type: ignore[attr-defined]
    return None, None


JUDGE: Final = Judge()
