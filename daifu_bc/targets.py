"""What a target of `protect` consists of: the Python functions whose code is to be protected.

In: anything. Out: its functions, outermost wrapper first, each once; or `CannotProtect` saying why there are none and
what to do instead. Always true: nothing is changed, and looking into a class or a module runs no code of the user's.

What counts as part of a target:
* a wrapper (`__wrapped__`, partial, lru_cache, singledispatch, property, method...): it and what it wraps;
* a class: the methods, properties and nested classes in its own `__dict__`; not what it inherits, which comes along
  by scope; not methods that were generated without source (a dataclass's `__init__`);
* a module: functions and classes whose `__module__` it is; not its submodules, not what it imported;
* an nn.Module instance: its class, and the class in whose text its `forward` stands;
* any other callable instance: the `__call__` of its class.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from daifu_bc.errors import CannotProtect

_MADE_BY_THE_COMPILER: Final = frozenset({"__annotate__", "__annotate_func__"})
_RUNNING: Final = ("generator", "coroutine", "async_generator")


def functions_of(target: object) -> list[FunctionType]:
    """All functions that `target` consists of. Raises CannotProtect where there are none."""
    found = list(_functions([target], _parts))
    if not found:
        raise CannotProtect(_why_not(target))
    return found


def methods_of(owner: type) -> Iterator[FunctionType]:
    """The functions in the class's own `__dict__`, nested classes included."""
    return _functions(_class_members(owner), _wrapped_parts)


def functions_in(module: ModuleType) -> Iterator[FunctionType]:
    """The functions, and the methods of the classes, that were defined in `module`."""
    return _functions(_module_members(module), _wrapped_parts)


def namespace_of(module: ModuleType) -> dict[str, Any]:
    """The module's dictionary, without waking a module that loads itself when it is looked at."""
    found = object.__getattribute__(module, "__dict__")
    return found if isinstance(found, dict) else {}


def innermost(function: FunctionType) -> FunctionType:
    """The function at the end of the `__wrapped__` chain: the one that the user wrote."""
    seen = {id(function)}
    while True:
        inner = function.__dict__.get("__wrapped__")
        if type(inner) is not FunctionType or id(inner) in seen:
            return function
        seen.add(id(inner))
        function = inner


def is_generated(function: FunctionType) -> bool:
    """Without source: made by exec (dataclass and namedtuple methods) or by the compiler. Not: typed in."""
    code, namespace = function.__code__, function.__globals__
    if code.co_name in _MADE_BY_THE_COMPILER:
        return True
    is_typed_in = namespace.get("__name__") == "__main__" and "__file__" not in namespace
    return code.co_filename == "<string>" and not is_typed_in


def _functions(targets: Iterable[object], parts: Any) -> Iterator[FunctionType]:
    """Depth first through `parts`, each object once."""
    seen: set[int] = set()
    keep: list[object] = []  # ids stay taken while we walk
    waiting = list(targets)[::-1]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        keep.append(item)
        if type(item) is FunctionType:
            yield item
        waiting.extend(list(parts(item))[::-1])


def _parts(target: object) -> Iterable[object]:
    """What an object given by name consists of, one level down."""
    if isinstance(target, type):
        return methods_of(target)
    if isinstance(target, ModuleType):
        return functions_in(target)
    if isinstance(target, _WRAPPERS):
        return _wrapped_parts(target)
    if _is_torch_module(target):
        return [type(target), *_found_on(type(target), "forward")]
    return [*_found_on(type(target), "__call__"), *_wrapped(target)]


def _wrapped_parts(item: object) -> Iterable[object]:
    """What a wrapper holds, one level down; nothing for what is no wrapper."""
    for kinds, held in _HOLDERS:
        if _is(item, kinds):
            return held(item)
    return _wrapped(item)


def _is(item: object, kinds: type | tuple[type, ...]) -> bool:
    """As isinstance, which would ask a proxy for its `__class__`: code of the user's."""
    return issubclass(type(item), kinds)


def _wrapped(item: object) -> list[object]:
    """`[item.__wrapped__]`, or nothing. Looked up statically first: a proxy may answer to any name."""
    if not callable(item) or not _has(item, "__wrapped__"):
        return []
    return [getattr(item, "__wrapped__", None)]


def _has(item: object, name: str) -> bool:
    """Whether a lookup that runs no code finds the attribute (inspect.getattr_static asks for `__class__`)."""
    try:
        own = object.__getattribute__(item, "__dict__")
    except AttributeError:  # slots, or a C type without attributes
        own = {}
    return name in own or any(name in base.__dict__ for base in type(item).__mro__)


def _implementations(function: FunctionType) -> list[object]:
    """Of a singledispatch function: all functions registered with it."""
    registry, dispatch = function.__dict__.get("registry"), function.__dict__.get("dispatch")
    if registry is None or not callable(dispatch):
        return []
    return list(registry.values())


def _found_on(owner: type, name: str) -> list[object]:
    """The attribute as a class of the MRO holds it, unbound; nothing where it is not Python."""
    for base in owner.__mro__:
        if name in base.__dict__:
            item = base.__dict__[name]
            return [item] if type(item) is FunctionType or list(_wrapped_parts(item)) else []
    return []


def _class_members(owner: type) -> Iterator[object]:
    item: Any
    for item in list(owner.__dict__.values()):
        if _is(item, type):
            if _is_nested(item, owner):
                yield from _class_members(item)
        elif not _is_lent(item.__func__ if _is(item, (staticmethod, classmethod)) else item, owner):
            yield item


def _is_lent(function: object, owner: type) -> bool:
    """Put into the class by the standard library: what dataclass, enum and namedtuple add."""
    if type(function) is not FunctionType:
        return False
    written = innermost(function)
    home = str(written.__globals__.get("__name__"))
    from_library = (
        home != owner.__dict__.get("__module__") and home.partition(".")[0] in sys.stdlib_module_names
    )
    return from_library or is_generated(written)


def _is_nested(inner: type, owner: type) -> bool:
    """Written inside the other one, rather than assigned to an attribute of it."""
    return (
        inner is not owner
        and inner.__dict__.get("__module__") == owner.__dict__.get("__module__")
        and inner.__qualname__.startswith(owner.__qualname__ + ".")
    )


def _module_members(module: ModuleType) -> Iterator[object]:
    namespace = namespace_of(module)
    name = namespace.get("__name__")
    item: Any
    for item in list(namespace.values()):
        if _is(item, type):
            if item.__dict__.get("__module__") == name:
                yield from _class_members(item)
        elif type(item) is FunctionType:
            if item.__module__ == name and not is_generated(item):
                yield item
        elif any(inner.__module__ == name for inner in _functions([item], _wrapped_parts)):
            yield item


def _is_torch_module(target: object) -> bool:
    """Whether this is an nn.Module; torch is never imported for the question."""
    base = getattr(getattr(sys.modules.get("torch"), "nn", None), "Module", None)
    return isinstance(base, type) and isinstance(target, base)


def _why_not(target: object) -> str:
    """One sentence on why nothing of `target` can be protected, one on what to do instead."""
    kind = type(target).__name__
    if kind in _RUNNING:
        return (
            f"this {kind} has been made already and keeps its code; "
            "protect the function that makes it, before it is called"
        )
    if isinstance(target, CodeType):
        return f"{target.co_name} is a code object; protect the function that runs it"
    if isinstance(target, ModuleType):
        return f"module {target.__name__} defines no Python function; protect the module that defines what you call"
    if isinstance(target, type):
        return _why_not_class(target)
    if callable(target):
        name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None) or f"this {kind}"
        return (
            f"{name} is not written in Python ({kind}) and has no bytecode to put a barrier into; "
            "protect the Python function that calls it"
        )
    return f"a {kind} is not code; give a function, a method, a class or a module"


def _why_not_class(owner: type) -> str:
    for base in owner.__mro__[1:]:
        if any(True for _ in methods_of(base)):
            return (
                f"class {owner.__qualname__} has no method of its own; "
                f"protect the class that it inherits them from: {base.__module__}.{base.__qualname__}"
            )
    return (
        f"class {owner.__qualname__} has no method written in Python; protect the Python function that uses it, "
        "or a subclass that defines methods"
    )


_HOLDERS: Final[tuple[tuple[tuple[type, ...], Callable[[Any], list[object]]], ...]] = (
    ((FunctionType,), lambda item: [item.__dict__.get("__wrapped__"), *_implementations(item)]),
    ((MethodType, staticmethod, classmethod), lambda item: [item.__func__]),
    ((property,), lambda item: [item.fget, item.fset, item.fdel]),
    ((functools.partial, functools.partialmethod, functools.cached_property), lambda item: [item.func]),
    ((functools.singledispatchmethod,), lambda item: [item.dispatcher, item.func]),
    ((type, ModuleType, CodeType), lambda item: []),
)
_WRAPPERS: Final = tuple(kind for kinds, _ in _HOLDERS[:-1] for kind in kinds)
