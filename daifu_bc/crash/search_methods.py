"""What a method that is called is bound to, looked up without running any of the program's code.

In: symbols, a Space. Out: the object, UNKNOWN, or an Instance where only its class is known.
Always true: no property is called: what it may return is for the caller to read from its code.
"""

from __future__ import annotations

import dis
import functools
from types import CodeType, FunctionType
from typing import Final

from daifu_bc.crash.handlers_symbols import Attribute, Called, Symbol
from daifu_bc.crash.search_names import (
    UNKNOWN,
    Space,
    attribute,
    in_class,
    is_class,
    resolve,
    space_of_function,
)
from daifu_bc.transform.registry import original_of

_type_call: Final = type.__dict__["__call__"]
_class_slot: Final = object.__dict__["__class__"]


class Instance:
    """An instance of a class that is not at hand: only what its class has is known."""

    __slots__ = ("cls",)

    def __init__(self, cls: type) -> None:
        self.cls = cls


def class_of(thing: object) -> type:
    """The class of an object, at hand or not."""
    return thing.cls if type(thing) is Instance else type(thing)


def meaning_of(symbol: Symbol | None, space: Space) -> object:
    """`resolve`, which also knows the methods of an Instance, and `owner.__class__`."""
    found = resolve(symbol, space)
    if found is not UNKNOWN or not isinstance(symbol, Attribute):
        return found
    owner = meaning_of(symbol.base, space)
    if owner is UNKNOWN or is_class(owner):
        return attribute(owner, symbol.name)
    found = in_class(class_of(owner), symbol.name)
    if found is _class_slot:
        return class_of(owner)
    return found if type(owner) is Instance and type(found) is FunctionType else UNKNOWN


def value_of(symbol: Symbol | None, space: Space) -> object:
    """What `symbol` means; for a call of a class, an instance of it."""
    if not isinstance(symbol, Called):
        return meaning_of(symbol, space)
    made = meaning_of(symbol.callee, space)
    plain = is_class(made) and in_class(type(made), "__call__") is _type_call
    return Instance(made) if plain and isinstance(made, type) else UNKNOWN


def method_owner(callee: Symbol, found: object, space: Space) -> object:
    """What `callee`, which is the function `found`, is a method of; UNKNOWN where it is called without an owner."""
    if not isinstance(callee, Attribute) or type(found) is not FunctionType:
        return UNKNOWN
    owner = resolve(callee.base, space)
    is_method = owner is not UNKNOWN and not is_class(owner) and in_class(class_of(owner), callee.name) is found
    return owner if is_method else UNKNOWN


def property_getter(callee: Symbol, space: Space) -> tuple[FunctionType | None, object]:
    """For `owner.plugin.method` where `plugin` is a property: the function that computes it, and its owner."""
    if isinstance(callee, Attribute) and isinstance(callee.base, Attribute):
        owner = resolve(callee.base.base, space)
        found = in_class(class_of(owner), callee.base.name) if owner is not UNKNOWN else UNKNOWN
        if type(found) is property and type(found.fget) is FunctionType:
            return found.fget, owner
    return None, UNKNOWN


def space_of_method(function: FunctionType, owner: object) -> Space:
    """What a function sees that does not run: its closure, globals and, if it is known, what it is a method of."""
    space = space_of_function(function)
    first = _first_argument(original_of(function.__code__)) if owner is not UNKNOWN else None
    if first is None:
        return space
    return Space(
        space.globals, space.builtins, lambda name, default: owner if name == first else _or(space, name, default)
    )


def _or(space: Space, name: str, default: object) -> object:
    found = space.local(name)
    return default if found is UNKNOWN else found


@functools.lru_cache(maxsize=256)
def _first_argument(code: CodeType) -> str | None:
    """The name of a function's first argument, if nothing is assigned to it; what closures share is in doubt."""
    name = code.co_varnames[0] if code.co_argcount else None
    for one in dis.get_instructions(code):
        names = one.argval if type(one.argval) is tuple else (one.argval,)
        if name in names and one.opname.startswith(("STORE_", "DELETE_")):
            return None
    return None if name in code.co_cellvars else name
