"""A method that uses `super()` or `__class__` now and did not before: its function has no cell for the class.

In: the function, its new code. Out: `Remade`: a function with that cell and everything else of the old one, and where
it takes the old one's place.
Always true: nothing is changed here, and nothing of the text runs; who holds the old function itself (a bound method
that was taken before) keeps the old code.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from daifu_bc.crash.scopes import mangle
from daifu_bc.updates.members import owners_of


@dataclass(frozen=True, slots=True, eq=False)
class Remade:
    """A function in the place of another."""

    function: FunctionType
    before: FunctionType
    owner: type
    name: str
    value: object  # the function, or what it is wrapped in as a member of its class


def with_class(function: FunctionType, new: CodeType) -> Remade | None:
    """The function with a cell for its class; None where more than that is missing, or it is no plain member."""
    names = function.__code__.co_freevars
    *path, name = function.__qualname__.split(".")
    owners = owners_of(tuple(path), function.__globals__) if path else None
    if "__class__" in names or {*names, "__class__"} != set(new.co_freevars) or not owners:
        return None
    owner = owners[-1]
    name = mangle(name, owner.__name__)
    member: Any = vars(owner).get(name)
    kind: Any = type(member)
    if member is not function and not (kind in (staticmethod, classmethod) and member.__func__ is function):
        return None
    made = _made(function, new, owner)
    return Remade(made, function, owner, name, made if member is function else kind(made))


def _made(function: FunctionType, new: CodeType, owner: type) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["__class__"] = CellType(owner)
    closure = tuple(cells[name] for name in new.co_freevars)
    made = FunctionType(new, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    name = "__annotate__" if hasattr(function, "__annotate__") else "__annotations__"
    setattr(made, name, getattr(function, name))
    made.__type_params__ = function.__type_params__
    made.__dict__.update(function.__dict__)
    return made


__all__ = ["Remade", "with_class"]
