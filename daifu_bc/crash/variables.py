"""Variables: a living frame's variables as a mutable mapping.

In: a living frame and its ORIGINAL code object (the compiler's, not the protected twin); what the barrier was handed,
if anything: the frame's namespace (class bodies, module code) and its cells. Out: reads that are fresh each time and
writes that the frame sees.

Always true:
* Names that start with "." or "(" (ours, and the compiler's own) are never shown.
* Reading changes nothing and keeps nothing alive: it goes through `PyFrame_GetVar`, not through `frame.f_locals`,
  which on 3.12 fills a dict that the frame keeps.
* What cannot be done to a living frame is kept here for whoever rebuilds it: `unbound` (plain locals that were
  deleted: no interpreter unbinds one from outside, their slots hold None) and `pending` (values for the variables of
  a comprehension inlined into a module or a class body: no interpreter lets us write them). Reads see both already.
* While a slot of a class body's frame is bound (by such a comprehension, or by us), its namespace cannot be had from
  outside: without `namespace`, reads see what the frame shows, and writes are pending.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from types import CellType, CodeType, FrameType
from typing import Any

from daifu_bc.crash.cells import find_cells, read_cell
from daifu_bc.crash.frame_slots import read_slot, write_slot

_ABSENT = object()


class Variables(MutableMapping[str, object]):
    """The variables of `frame`, which runs `code` (or its protected twin); cells included."""

    __slots__ = ("__weakref__", "_cells", "_copied", "_namespace", "_slots", "code", "frame", "pending", "unbound")

    def __init__(
        self,
        frame: FrameType,
        code: CodeType,
        *,
        namespace: MutableMapping[str, Any] | None = None,
        cells: Mapping[str, CellType] | None = None,
    ) -> None:
        self.frame = frame
        self.code = code
        self.unbound: set[str] = set()
        self.pending: dict[str, object] = {}
        self._cells: dict[str, CellType] = dict(cells or {})
        self._namespace = namespace
        self._copied = False
        self._slots = _names_of_slots(code)

    @property
    def in_function(self) -> bool:
        """Whether the variables live in slots (a function's, a generator's), not in a namespace."""
        return bool(self.code.co_flags & inspect.CO_OPTIMIZED)

    @property
    def namespace(self) -> MutableMapping[str, Any]:
        """The namespace of module code or of a class body."""
        if self._namespace is None:
            self._namespace = self._find_namespace()
        return self._namespace

    def names(self) -> tuple[str, ...]:
        """All names that have a slot here, bound or not: a function's variables, an inlined comprehension's."""
        return tuple(self._slots)

    def cells_of(self, names: Iterable[str]) -> dict[str, CellType]:
        """The cells behind those of `names` that are cell or free variables here, shared with the frame."""
        ours = {*self.code.co_cellvars, *self.code.co_freevars}
        wanted = [name for name in names if name in ours]
        missing = [name for name in wanted if name not in self._cells]
        if missing:
            self._cells.update(find_cells(self._home_of_cells(), missing))
        return {name: self._cells[name] for name in wanted if name in self._cells}

    def __getitem__(self, name: str) -> object:
        if name in self.pending:
            return self.pending[name]
        value = self._read_slot(name)
        if value is not _ABSENT:
            return value
        if self.in_function or name in self.unbound or _hidden(name):
            raise KeyError(name)
        return self.namespace[name]

    def __setitem__(self, name: str, value: object) -> None:
        if _hidden(name):
            raise KeyError(f"{name!r} is no name that a program can use")
        if not self.in_function:
            self._write_in_namespace(name, value)
        elif name not in self._slots:
            raise KeyError(f"{name!r} is no variable of {self.code.co_qualname}")
        elif name in self._cells:
            self._cells[name].cell_contents = value
        else:
            write_slot(self.frame, name, value)
        self.unbound.discard(name)

    def __delitem__(self, name: str) -> None:
        self[name]  # raises KeyError where there is nothing to delete
        pending = self.pending.pop(name, _ABSENT)
        if self._read_slot(name) is not _ABSENT:
            self._unbind_slot(name)
        elif self._copied:
            self.unbound.add(name)
        elif pending is _ABSENT:
            del self.namespace[name]

    def __iter__(self) -> Iterator[str]:
        yield from [name for name in self._slots if self.in_slot(name)]
        if not self.in_function:
            seen = self.unbound.union(name for name in self._slots if self.in_slot(name))
            others = {**dict.fromkeys(self.namespace), **dict.fromkeys(self.pending)}
            yield from [name for name in others if name not in seen and not _hidden(name)]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Variables({dict(self)!r})"

    def in_slot(self, name: str) -> bool:
        """Whether `name` is bound in a slot here, or will be in the rebuilt frame."""
        return name in self.pending or self._read_slot(name) is not _ABSENT

    def _read_slot(self, name: str) -> object:
        if name in self.unbound or name not in self._slots:
            return _ABSENT
        if name in self._cells:
            return read_cell(self._cells[name], _ABSENT)
        return read_slot(self.frame, name, _ABSENT)

    def _write_in_namespace(self, name: str, value: object) -> None:
        namespace = self.namespace
        if self._copied or (name in self._slots and self.in_slot(name)):
            self.pending[name] = value
        else:
            namespace[name] = value

    def _unbind_slot(self, name: str) -> None:
        cell = self.cells_of([name]).get(name)
        if cell is not None:
            del cell.cell_contents
        else:
            if self.in_function:
                write_slot(self.frame, name, None)  # the value is released now; only a rebuilt frame can be unbound
            self.unbound.add(name)

    def _home_of_cells(self) -> MutableMapping[str, object]:
        """Where contents of cells show: a class body's frame hides them, the function around it does not."""
        around = self.frame.f_back
        if self.in_function or around is None:
            return self
        return Variables(around, around.f_code)

    def _find_namespace(self) -> MutableMapping[str, Any]:
        # While a slot is bound, f_locals is not the namespace: a copy on 3.12, a view of the slots later.
        if all(read_slot(self.frame, name, _ABSENT) is _ABSENT for name in self.frame.f_code.co_varnames):
            return self.frame.f_locals
        if self.code.co_name == "<module>":
            return self.frame.f_globals
        self._copied = True
        return self.frame.f_locals


def _hidden(name: str) -> bool:
    return name.startswith((".", "("))


def _names_of_slots(code: CodeType) -> dict[str, None]:
    names = code.co_varnames
    if code.co_flags & inspect.CO_OPTIMIZED:
        names += code.co_cellvars + code.co_freevars
    return {name: None for name in names if not _hidden(name)}
