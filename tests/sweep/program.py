"""`Program`: the effects object with a maker for each kind of object that a corpus program may use.

In: as Effects. Out: the object `p` that programs take. Always true: as Effects.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from sweep import objects, values
from sweep.effects import Effects, show


class Program(Effects):
    """Everything that a program of the corpus can do to the outside."""

    def iter(self, items: int | Iterable[Any], name: str = "it") -> objects.Iterator:
        """An iterator over `items` (a number: that many numbers from 0)."""
        return objects.Iterator(self, name, range(items) if isinstance(items, int) else items)

    def iterable(self, items: int | Iterable[Any], name: str = "iterable") -> objects.Iterable_:
        """Something whose `__iter__` is a point too."""
        return objects.Iterable_(self, name, range(items) if isinstance(items, int) else items)

    def citer(self, items: int | Iterable[Any], name: str = "cit") -> Any:
        """An iterator written in C around a point per item; outlives a failure."""
        inner = self.iter(items, name)
        end = object()

        def step() -> Any:
            return next(inner, end)

        return iter(step, end)

    unpackable = iterable

    def mapping(self, name: str = "mapping", **content: Any) -> objects.Mapping:
        """Something for `**`."""
        return objects.Mapping(self, name, content)

    def value(self, x: Any, **attributes: object) -> Any:
        """An object all of whose operators are points."""
        return values.Value(self, x, **attributes)

    def record(self, first: object, second: object) -> objects.Record:
        """An object to match by class and position."""
        return objects.Record(self, first, second)

    Record = objects.Record

    def manager(self, name: str = "m") -> objects.Manager:
        """A context manager, synchronous and asynchronous."""
        return objects.Manager(self, name)

    def swallower(self, name: str = "s") -> objects.Swallower:
        """A context manager that swallows every Exception."""
        return objects.Swallower(self, name)

    def awaitable(self, name: str = "a", result: object = None, steps: int = 1) -> objects.Awaitable:
        """Something to await that suspends `steps` times."""
        return objects.Awaitable(self, name, result, steps)

    def aiter(self, items: int | Iterable[Any], name: str = "ait") -> objects.AsyncIterator:
        """Something for `async for`."""
        return objects.AsyncIterator(self, name, range(items) if isinstance(items, int) else items)

    def descriptor(self, name: str = "d", value: object = None) -> Any:
        """A data descriptor."""
        return objects.Descriptor(self, name, value)

    def decorator(self, name: str) -> Callable[[Any], Any]:
        """A decorator: making it is a point, and so is applying it."""
        self.point("call", f"decorator {name}")
        return functools.partial(self._decorate, name)

    def _decorate(self, name: str, target: Any) -> Any:
        self.point("call", f"{name} decorates {target.__name__}")
        return target

    def metaclass(self) -> type:
        """A metaclass: the namespace it prepares, the class it makes and calls of that are points."""
        p = self

        class Meta(type):
            @classmethod
            def __prepare__(mcs, name: str, bases: tuple[type, ...], **options: object) -> objects.Namespace:  # type: ignore[override]
                p.point("effect", f"prepare {name} {show(options)}")
                return objects.Namespace(p)

            def __new__(
                mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: object
            ) -> Meta:
                p.point("effect", f"make {name}")
                return super().__new__(mcs, name, bases, dict(namespace))

            def __init__(
                cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: object
            ) -> None:
                super().__init__(name, bases, namespace)

            def __call__(cls, *args: Any, **kwargs: Any) -> Any:
                p.point("call", f"instance of {cls.__name__}")
                return super().__call__(*args, **kwargs)

        return Meta

    def base(self) -> type:
        """A base class whose `__init_subclass__` is a point."""
        p = self

        class Base:
            def __init_subclass__(cls, **options: object) -> None:
                p.point("effect", f"subclass {cls.__name__} {show(options)}")

        return Base

    def importing(self) -> Importing:
        """`with p.importing():` makes modules `fake_*` importable; finding, running and reading one are
        points.
        """
        return Importing(self)

    async def mortal(self, name: str) -> Any:
        """A coroutine that is not protected: finished for good if its point fails."""
        return self.call(name)

    def mortal_items(self, items: int, name: str = "mortal") -> Any:
        """A generator that is not protected: finished for good if one of its points fails."""
        for item in range(items):
            self.point("effect", f"next {name}")
            yield item


class FakeModule(ModuleType):
    """A module in which reading a name that starts with `item` is a point."""

    def __getattr__(self, name: str) -> str:
        if not name.startswith("item"):
            raise AttributeError(name)
        vars(self)["p"].point("effect", f"from {self.__name__} {name}")
        return f"{self.__name__}.{name}"


class Importing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The finder and loader behind `Program.importing`."""

    def __init__(self, p: Effects) -> None:
        self._p = p

    def __enter__(self) -> None:
        self._forget()
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        self._forget()

    @staticmethod
    def _forget() -> None:
        for name in [name for name in sys.modules if name.startswith("fake_")]:
            del sys.modules[name]

    def find_spec(
        self, name: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("fake_"):
            return None
        self._p.point("effect", f"find {name}")
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return FakeModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["p"] = self._p
        self._p.point("effect", f"run {module.__name__}")
