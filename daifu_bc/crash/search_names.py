"""What a name means in a frame, looked up without running any of the program's code.

In: symbols (handlers_symbols) and a Space (the variables of a frame or function). Out: the object or UNKNOWN.
Always true: only dictionaries and type slots are read: no property, `__getattr__`, `__instancecheck__`,
`__eq__` or `__hash__` of the program runs.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType, ModuleType
from typing import Any, Final, TypeGuard

from daifu_bc.crash.frame_slots import reader_of
from daifu_bc.crash.handlers_symbols import Argument, Attribute, Constant, Name, Spread, Symbol, TupleOf
from daifu_bc.interpreter import behavior


class _Unknown:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
Lookup = Callable[[str, object], object]  # a local variable's name, what to give where it is not bound

_mro: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_instance_dict: Final = "__dict__"
_class_dict: Final[Callable[[type], Mapping[str, object]]] = type.__dict__[_instance_dict].__get__
_CO_OPTIMIZED: Final = inspect.CO_OPTIMIZED
# Mappings of variables that run no code of the program.
_PLAIN_MAPPINGS: Final = frozenset({dict, type((lambda: sys._getframe().f_locals)())})


class Space:
    """The variables that a frame or function sees."""

    __slots__ = ("_local", "builtins", "globals", "itself")

    def __init__(
        self, globals_: dict[str, Any], builtins_: object, local: Lookup, itself: object = UNKNOWN
    ) -> None:
        self.globals = globals_
        self.builtins = builtins_ if type(builtins_) is dict else vars(builtins)
        self.itself = itself  # argument 0 of an `__exit__`
        self._local = local

    def local(self, name: str) -> object:
        """A local variable or cell."""
        return self._local(name, UNKNOWN)

    def global_(self, name: str) -> object:
        """A global or builtin."""
        found = self.globals.get(name, UNKNOWN)
        return self.builtins.get(name, UNKNOWN) if found is UNKNOWN else found


def space_of_frame(frame: FrameType, namespace: object = None) -> Space:
    """The variables of a living frame. `namespace`: that of a class body or of module code, if it is at hand."""
    local = _in(namespace) if isinstance(namespace, dict) else _variables(frame)
    free = frame.f_code.co_freevars
    if free and not frame.f_code.co_flags & _CO_OPTIMIZED:
        local = _or_free(local, frame, frozenset(free))
    return Space(frame.f_globals, frame.f_builtins, local)


def _or_free(local: Lookup, frame: FrameType, free: frozenset[str]) -> Lookup:
    """A class body's names: those in its namespace, then free variables.

    The interpreter shows nobody the free variables of a class body; they are those of the frame that called it.
    """

    def look_up(name: str, default: object) -> object:
        found = local(name, UNKNOWN)
        if found is not UNKNOWN or name not in free or frame.f_back is None:
            return default if found is UNKNOWN else found
        found = space_of_frame(frame.f_back).local(name)
        return default if found is UNKNOWN else found

    return look_up


def _variables(frame: FrameType) -> Lookup:
    code = frame.f_code
    if code.co_flags & _CO_OPTIMIZED:
        return reader_of(frame)
    if code.co_varnames and behavior.f_locals_drops_hidden_names:
        return _in({})  # reading them could unbind names of the program
    return _in(frame.f_locals)


def _in(namespace: Mapping[str, object]) -> Lookup:
    return namespace.get if type(namespace) in _PLAIN_MAPPINGS else _nothing


def _nothing(_name: str, default: object) -> object:
    return default


def space_of_function(function: FunctionType, itself: object = UNKNOWN) -> Space:
    """What a function sees that does not run: its closure and globals."""
    builtins_ = function.__builtins__  # type: ignore[attr-defined, unused-ignore]
    return Space(function.__globals__, builtins_, _closure(function).get, itself)


def _closure(function: FunctionType) -> dict[str, object]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return found


def resolve(symbol: Symbol | None, space: Space) -> object:
    """The object that `symbol` stands for; UNKNOWN where it cannot be told without running code."""
    if type(symbol) is Name:
        found = space.local(symbol.name) if symbol.scope != "global" else UNKNOWN
        return space.global_(symbol.name) if found is UNKNOWN and symbol.scope != "local" else found
    match symbol:
        case Attribute(base, name):
            return attribute(resolve(base, space), name)
        case Constant(value, _):
            return value
        case TupleOf(items):
            return _tuple(items, space)
        case Argument(0):
            return space.itself
    return UNKNOWN


def _tuple(items: tuple[Symbol | None, ...], space: Space) -> tuple[object, ...]:
    found: list[object] = []
    for item in items:
        if isinstance(item, Spread):
            spread = resolve(item.inner, space)
            found += spread if type(spread) is tuple or type(spread) is list else (UNKNOWN,)
        else:
            found.append(resolve(item, space))
    return tuple(found)


def is_class(thing: object) -> TypeGuard[type]:
    """`isinstance(thing, type)` that asks no proxy for its `__class__`."""
    return issubclass(type(thing), type)


def mro(cls: type) -> tuple[type, ...]:
    """The method resolution order, whatever the metaclass says."""
    return _mro(cls)


def attribute(owner: object, name: str) -> object:
    """`owner.name` where that is a plain look-up; UNKNOWN for descriptors and for what is missing."""
    if owner is UNKNOWN:
        return UNKNOWN
    if issubclass(type(owner), ModuleType):
        return ModuleType.__getattribute__(owner, _instance_dict).get(name, UNKNOWN)
    if is_class(owner):
        return _of_class(owner, name)
    found = in_class(type(owner), name)
    if hasattr(type(found), "__set__"):
        return UNKNOWN
    own = _own(owner).get(name, UNKNOWN)
    return own if own is not UNKNOWN else _unbound(found)


def _of_class(owner: type, name: str) -> object:
    if hasattr(type(in_class(type(owner), name)), "__set__"):
        return UNKNOWN
    return _unbound(in_class(owner, name))


def namespace(cls: type) -> Mapping[str, object]:
    """The class dictionary, whatever the metaclass says."""
    return _class_dict(cls)


def in_class(cls: type, name: str) -> object:
    """What the class or one of its bases defines as `name`, as it lies in the class dictionary."""
    for base in mro(cls):
        found = _class_dict(base).get(name, UNKNOWN)
        if found is not UNKNOWN:
            return found
    return UNKNOWN


def _own(owner: object) -> dict[str, object]:
    """The instance's dictionary, {} where it has none of its own or hides it."""
    for base in mro(type(owner)):
        slot: Any = _class_dict(base).get(_instance_dict)
        if slot is not None:
            found = slot.__get__(owner) if type(slot) in _DICT_SLOTS else {}
            return found if type(found) is dict else {}
    return {}


class _Plain:
    """Only to see what a `__dict__` slot is."""


_DICT_SLOTS: Final = frozenset({
    type(_Plain.__dict__[_instance_dict]), type(BaseException.__dict__[_instance_dict])
})  # fmt: skip


def _unbound(found: object) -> object:
    """What a class attribute gives on access, binding left out."""
    if type(found) in (staticmethod, classmethod):
        return found.__func__  # type: ignore[attr-defined]
    if is_class(found) or type(found) is FunctionType or not hasattr(type(found), "__get__"):
        return found
    return UNKNOWN


def own_values(owner: object) -> list[object]:
    """The values of the instance's own attributes."""
    return [] if owner is UNKNOWN else list(_own(owner).values())


def issubclass_(cls: type, base: type) -> bool:
    """`issubclass` as `except` means it: no `__subclasscheck__` of the program is asked."""
    return type.__subclasscheck__(base, cls)


def is_exception_class(thing: object) -> TypeGuard[type[BaseException]]:
    """Is it a class of exceptions?"""
    return is_class(thing) and issubclass_(thing, BaseException)


def matches(kind: type | None, types: object) -> bool | None:
    """Would `except types` take an exception of type `kind`? None: it cannot be told.

    It takes none where it names what is no class of exceptions: that is a TypeError when it comes to it.
    """
    unsure = False
    if kind is not None and kind is types:
        return True
    named = types if type(types) is tuple else (types,)
    if any(one is not UNKNOWN and not is_exception_class(one) for one in named):
        return False
    for one in named:
        if one is UNKNOWN:
            unsure = True
        elif kind is None:
            unsure = unsure or one is not BaseException
            if one is BaseException:
                return True
        elif issubclass_(kind, one):
            return True
    return None if unsure else False


def is_exactly(kind: type | None, cls: object) -> bool | None:
    """Is `kind` this very class? None: it cannot be told."""
    return None if kind is None or cls is UNKNOWN else kind is cls


def narrow(types: object) -> bool:
    """Does `types` name classes, none of them as wide as Exception?"""
    named = types if type(types) is tuple else (types,)
    return bool(named) and not any(one in (Exception, BaseException) for one in map(_class_or_none, named))


def _class_or_none(thing: object) -> type | None:
    return thing if is_class(thing) else None
