"""A table of code objects by identity, which keeps none of them alive.

In: code objects and what is to be known of them. Out: that again. Always true: two compilations of the same text, which
are equal, are two keys; a row goes with its code object.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from types import CodeType


class _Key(weakref.ref[CodeType]):
    """A weak reference that knows which row is its own once its code object is gone."""

    __slots__ = ("key",)
    key: int


class CodeTable[T]:
    """Code object -> value."""

    def __init__(self) -> None:
        rows: dict[int, tuple[_Key, T]] = {}
        self._rows = rows

        def forget(gone: weakref.ref[CodeType]) -> None:
            assert isinstance(gone, _Key)
            found = rows.get(gone.key)
            if found is not None and found[0] is gone:
                del rows[gone.key]

        self._forget = forget

    def put(self, code: CodeType, value: T) -> None:
        """Set the value of `code`."""
        self.put_all((code,), value)

    def put_all(self, codes: Iterable[CodeType], value: T) -> None:
        """Set the value of many."""
        rows, forget = self._rows, self._forget
        for code in codes:
            made = _Key(code, forget)
            made.key = key = id(code)
            rows[key] = (made, value)

    def get(self, code: CodeType) -> T | None:
        """The value of `code`, or None."""
        found = self._rows.get(id(code))
        return found[1] if found is not None and found[0]() is code else None

    def drop(self, code: CodeType) -> None:
        """Forget `code`."""
        self._rows.pop(id(code), None)

    def items(self) -> Iterator[tuple[CodeType, T]]:
        """What is alive."""
        alive = [(row[0](), row[1]) for row in list(self._rows.values())]
        return ((code, value) for code, value in alive if code is not None)

    def __len__(self) -> int:
        return len(self._rows)
