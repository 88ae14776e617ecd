"""The function objects that are alive, wherever the program keeps them, and the caches around them.

In: file names. Out: functions by their original code; caches to clear. Always true: no code of the user's runs;
closures, callbacks, registered hooks, methods and what partials hold are all found, since all are functions; what the
collector was told to leave alone (`gc.freeze`) is found where a module or a class names it.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from daifu_bc import swaps
from daifu_bc.surgery.pairs import MADE_BY_THE_COMPILER
from daifu_bc.targets import functions_in, namespace_of

_LruCache: Final = type(functools.lru_cache(len))


@dataclass(slots=True, eq=False)
class Living:
    """What one look at all objects has found."""

    functions: dict[int, list[FunctionType]] = field(default_factory=dict)  # id of the original -> functions
    originals: dict[int, CodeType] = field(default_factory=dict)
    caches: list[Any] = field(default_factory=list)  # lru_cache wrappers
    cached_properties: list[functools.cached_property[Any]] = field(default_factory=list)

    def add(self, function: FunctionType) -> None:
        original = swaps.original_code(function)
        self.originals[id(original)] = original
        self.functions.setdefault(id(original), []).append(function)

    def of(self, code: CodeType) -> list[FunctionType]:
        """Functions whose original code is this very one."""
        return self.functions.get(id(code), [])


def look(filenames: Iterable[str], namespaces: Iterable[dict[str, Any]] = ()) -> Living:
    """Find the living functions of these files."""
    names, found, seen = frozenset(filenames), Living(), set[int]()
    for item in _candidates(names, namespaces):
        kind = type(item)
        if kind is FunctionType:
            if id(item) not in seen and item.__code__.co_name not in MADE_BY_THE_COMPILER:
                seen.add(id(item))
                found.add(item)
        elif kind is _LruCache:
            found.caches.append(item)
        else:
            found.cached_properties.append(item)
    return found


def _candidates(names: frozenset[str], namespaces: Iterable[dict[str, Any]]) -> Iterator[Any]:
    wrappers = (_LruCache, functools.cached_property)
    for item in gc.get_objects():
        kind = type(item)
        if kind is FunctionType:
            if item.__code__.co_filename in names:
                yield item
        elif kind in wrappers:
            yield item
    homes = {id(namespace) for namespace in namespaces}
    for module in modules():
        if id(namespace_of(module)) in homes:
            yield from (
                function for function in functions_in(module) if function.__code__.co_filename in names
            )


def modules() -> list[ModuleType]:
    """All modules that are imported."""
    return [module for module in list(sys.modules.values()) if issubclass(type(module), ModuleType)]


def clear_caches(found: Living, changed: Iterable[FunctionType]) -> list[str]:
    """Forget the results of functions that do something else now. Out: what was cleared, in words."""
    ids = {id(function) for function in changed}
    notes = []
    for cache in found.caches:
        if any(id(inner) in ids for inner in _chain(cache)):
            cache.cache_clear()
            notes.append(f"cache of {_name(cache)} cleared")
    for function in changed:
        clear = function.__dict__.get("_clear_cache")  # of a singledispatch function
        if callable(clear):
            clear()
    for item in found.cached_properties:
        if any(id(inner) in ids for inner in _chain(item.func)):
            count = _forget_results(item)
            notes += [f"cached values of {_name(item.func)} cleared ({count})"] if count else []
    return notes


def _chain(item: Any) -> Iterator[Any]:
    seen = set[int]()
    while item is not None and id(item) not in seen:
        seen.add(id(item))
        yield item
        item = getattr(item, "__dict__", {}).get("__wrapped__")


def _name(item: Any) -> str:
    return str(getattr(item, "__qualname__", None) or "a function")


def _forget_results(item: functools.cached_property[Any]) -> int:
    """Instances keep a cached_property's value in their `__dict__`."""
    name, count = item.attrname, 0
    everything = gc.get_objects()
    owners = [cls for cls in everything if issubclass(type(cls), type) and cls.__dict__.get(name) is item]
    for one in everything:
        if name is not None and any(issubclass(type(one), owner) for owner in owners):
            values = _dict_of(one)
            if name in values:
                del values[name]
                count += 1
    return count


def _dict_of(one: object) -> dict[str, object]:
    try:
        found = object.__getattribute__(one, "__dict__")
    except AttributeError:  # slots only
        return {}
    return found if isinstance(found, dict) else {}


__all__ = ["Living", "clear_caches", "look", "modules"]
