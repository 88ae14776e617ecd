"""A table of code objects by identity, which keeps none of them alive.

In: code objects and what is to be known of them. Out: that again. Always true: two compilations of the same text, which
are equal, are two keys; a row goes with its code object.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import CodeType


class CodeTable[T]:
    """Code object -> value."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[weakref.ref[CodeType], T]] = {}

    def put(self, code: CodeType, value: T) -> None:
        """Set the value of `code`."""
        key, rows = id(code), self._rows

        def forget(_: object) -> None:
            rows.pop(key, None)

        rows[key] = (weakref.ref(code, forget), value)

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
