"""Objects whose operations are points of an effects object: iterators, managers, awaitables, descriptors.

In: the effects object and plain content. Out: what programs get from the methods of `Program`.
Always true: none of these classes holds state of the interpreter (no generators, no coroutines), so that each
of their operations can be asked again after it has failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sweep.effects import Effects, show


class Iterator:
    """An iterator: every `__next__`, the exhausted one too, is a point."""

    def __init__(self, p: Effects, name: str, items: Iterable[Any]) -> None:
        self._p, self._name, self._items, self._at = p, name, list(items), 0

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        self._p.point("effect", f"next {self._name}")
        if self._at >= len(self._items):
            raise StopIteration
        self._at += 1
        return self._items[self._at - 1]


class Iterable_:
    """Something to iterate: `__iter__` is a point, and so is each item."""

    def __init__(self, p: Effects, name: str, items: Iterable[Any]) -> None:
        self._p, self._name, self._items = p, name, list(items)

    def __iter__(self) -> Iterator:
        self._p.point("effect", f"iter {self._name}")
        return Iterator(self._p, self._name, self._items)


class Mapping:
    """Something for `**`: `keys` and each item are points."""

    def __init__(self, p: Effects, name: str, content: dict[str, Any]) -> None:
        self._p, self._name, self._content = p, name, content

    def keys(self) -> list[str]:
        self._p.point("effect", f"keys {self._name}")
        return list(self._content)

    def __getitem__(self, key: str) -> Any:
        self._p.point("effect", f"item {self._name}[{key}]")
        return self._content[key]


class Awaitable:
    """`__await__` is a point, each of `steps` suspensions is one, and so is the end with `result`."""

    def __init__(self, p: Effects, name: str, result: object, steps: int = 1) -> None:
        self._p, self._name, self._result, self._steps = p, name, result, steps

    def __await__(self) -> AwaitSteps:
        self._p.point("effect", f"await {self._name}")
        return AwaitSteps(self._p, self._name, self._result, self._steps)

    def _show(self) -> str:
        return f"awaitable {self._name}"


class AwaitSteps:
    """The iterator behind an awaitable; not a generator, so it outlives a failure."""

    def __init__(self, p: Effects, name: str, result: object, steps: int) -> None:
        self._p, self._name, self._result, self._steps = p, name, result, steps

    def __iter__(self) -> AwaitSteps:
        return self

    def __next__(self) -> None:
        self._p.point("effect", f"step {self._name}")
        if self._steps:
            self._steps -= 1
            return None
        raise StopIteration(self._result)


class AsyncIterator:
    """An asynchronous iterator: `__anext__` is a point and gives an awaitable, whose steps are points."""

    def __init__(self, p: Effects, name: str, items: Iterable[Any]) -> None:
        self._p, self._name, self._items, self._at = p, name, list(items), 0

    def __aiter__(self) -> AsyncIterator:
        self._p.point("effect", f"aiter {self._name}")
        return self

    def __anext__(self) -> Awaitable:
        self._p.point("effect", f"anext {self._name}")
        if self._at >= len(self._items):
            raise StopAsyncIteration
        self._at += 1
        return Awaitable(self._p, f"{self._name}.{self._at}", self._items[self._at - 1], steps=0)


class Manager:
    """A context manager, synchronous and asynchronous, that swallows nothing."""

    def __init__(self, p: Effects, name: str) -> None:
        self._p, self._name = p, name

    def __enter__(self) -> str:
        self._p.point("effect", f"enter {self._name}")
        return self._name

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        self._p.point("effect", f"exit {self._name} {kind.__name__ if kind else None}")

    def __aenter__(self) -> Awaitable:
        self._p.point("effect", f"aenter {self._name}")
        return Awaitable(self._p, f"enter {self._name}", self._name)

    def __aexit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> Awaitable:
        self._p.point("effect", f"aexit {self._name} {kind.__name__ if kind else None}")
        return Awaitable(self._p, f"exit {self._name}", None)

    def _show(self) -> str:
        return f"manager {self._name}"


class Swallower(Manager):
    """A context manager that swallows every Exception."""

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> bool:  # type: ignore[override]
        self._p.point("effect", f"exit {self._name} {kind.__name__ if kind else None}")
        return True


class Descriptor:
    """A data descriptor whose four operations are points."""

    def __init__(self, p: Effects, name: str, value: object = None) -> None:
        self._p, self._name, self._value = p, name, value

    def __set_name__(self, owner: type, name: str) -> None:
        self._p.point("effect", f"set_name {owner.__name__}.{name}")

    def __get__(self, instance: object, owner: type) -> object:
        self._p.point("attr", f"get {self._name}")
        return self._value

    def __set__(self, instance: object, value: object) -> None:
        self._p.point("effect", f"set {self._name} {show(value)}")
        self._value = value

    def __delete__(self, instance: object) -> None:
        self._p.point("effect", f"delete {self._name}")
        self._value = None


class Record:
    """Something to match: its two attributes are points."""

    __match_args__ = ("first", "second")

    def __init__(self, p: Effects, first: object, second: object) -> None:
        self._p, self._first, self._second = p, first, second

    @property
    def first(self) -> object:
        self._p.point("attr", "first")
        return self._first

    @property
    def second(self) -> object:
        self._p.point("attr", "second")
        return self._second

    def _show(self) -> str:
        return f"record {show(self._first)} {show(self._second)}"


class Namespace(dict[str, Any]):
    """A class namespace in which each store and delete of a name is a point."""

    def __init__(self, p: Effects) -> None:
        super().__init__()
        self._p = p

    def __setitem__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            self._p.point("effect", f"store {name}")
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._p.point("effect", f"delete {name}")
        super().__delitem__(name)
