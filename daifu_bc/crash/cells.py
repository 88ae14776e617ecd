"""A living frame's cells, found from outside.

In: names of cell or free variables of a frame, and a mapping that reads and writes their contents through the frame.
Out: the cell objects.

What we want: the very cells that the frame and its closures share, so that a function defined at a crash shares
them too. What does not work: a frame shows the contents of its cells, never the cells. What we do: the garbage
collector knows who refers to the contents. One cell among them: that is it. Several (a small number, None): a
marker is written through the frame and the cell that now holds it is the one; the old contents go back at once.
What still fails: after `gc.freeze()` the frozen cells are not found; the caller works on a copy then.

Always true: contents are what they were; nothing found is kept alive.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, MutableMapping
from types import CellType

_ABSENT = object()


def find_cells(contents: MutableMapping[str, object], names: Iterable[str]) -> dict[str, CellType]:
    """The cells behind `names`; a name whose cell is not found is left out."""
    values = {name: contents.get(name, _ABSENT) for name in names}
    bound = [value for value in values.values() if value is not _ABSENT]
    candidates = _cells_holding(bound) if bound else []
    found: dict[str, CellType] = {}
    for name, value in values.items():
        cell = _pick(contents, name, value, candidates) if value is not _ABSENT else _mark(contents, name)
        if cell is not None:
            found[name] = cell
    return found


def read_cell(cell: CellType, default: object) -> object:
    """What `cell` holds, `default` when it holds nothing."""
    try:
        contents: object = cell.cell_contents
    except ValueError:
        return default
    return contents


def _cells_holding(values: Iterable[object]) -> list[CellType]:
    return [cell for cell in gc.get_referrers(*values) if type(cell) is CellType]


def _pick(
    contents: MutableMapping[str, object], name: str, value: object, candidates: list[CellType]
) -> CellType | None:
    """The cell of `name` among all cells that hold something; the frame's own is among those that hold `value`."""
    holders = [cell for cell in candidates if read_cell(cell, _ABSENT) is value]
    if len(holders) <= 1:
        return holders[0] if holders else None
    marker = object()
    contents[name] = marker
    try:
        return next((cell for cell in holders if read_cell(cell, _ABSENT) is marker), None)
    finally:
        contents[name] = value


def _mark(contents: MutableMapping[str, object], name: str) -> CellType | None:
    """The cell of an unbound name."""
    marker = object()
    try:
        contents[name] = marker
    except KeyError:
        return None
    holders = _cells_holding([marker])
    for cell in holders:
        del cell.cell_contents
    if not holders:
        del contents[name]
    return holders[0] if holders else None
