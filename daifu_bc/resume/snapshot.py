"""The snapshot of a crashed frame, as its barrier hands it over.

In: the list that the barrier block and its tail filled. Out: `Snapshot`.
Always true: `slots` has one entry per slot of the value stack below the barrier, lowest first; the list is
emptied, so that nothing but the snapshot keeps the values alive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from daifu_bc.analysis import contexts
from daifu_bc.errors import InternalError
from daifu_bc.transform.registry import Protection


class _Empty:
    __slots__ = ()

    def __repr__(self) -> str:
        return "EMPTY"


EMPTY: Final = _Empty()  # a slot that holds NULL


@dataclass(slots=True, eq=False)
class Snapshot:
    """What a frame was made of when it crashed."""

    kinds: str  # kinds of the slots, lowest first (analysis.contexts)
    slots: list[object]  # their values; EMPTY for NULL; for PREVIOUS the exception that was being handled there
    variables: dict[int, object]  # local slot -> value, for locals that are bound (hidden ones included)
    cells: list[object]  # EMPTY for slots that hold nothing
    namespace: object  # of a class body or module, else None


def held_by(snapshot: Snapshot, protection: Protection) -> dict[str, object]:
    """What the frame will hold, in the form of `FrameState.held`."""
    if isinstance(snapshot.namespace, dict):
        return dict(snapshot.namespace)
    names = enumerate(protection.original.co_varnames)
    return {name: _plain(snapshot, protection, number) for number, name in names if not name.startswith(".")}


def _plain(snapshot: Snapshot, protection: Protection, number: int) -> object:
    if number in snapshot.variables:
        return snapshot.variables[number]
    if number not in protection.cell_numbers:
        return None
    cell: Any = snapshot.cells[protection.cell_numbers.index(number)]
    try:
        return cell.cell_contents
    except (ValueError, AttributeError):
        return None


def take_snapshot(handed_over: list[object], protection: Protection, kinds: str, handled: object) -> Snapshot:
    """Sort out what was handed over; `handled` is the exception that the frame was handling, or None."""
    taken = handed_over[1:]
    handed_over.clear()
    appended = [kind for kind in kinds if kind not in (contexts.LASTI, contexts.NULL)]
    locals_end = len(appended) + len(protection.slot_numbers)
    cells_end = locals_end + len(protection.cell_numbers)
    if not cells_end <= len(taken) <= cells_end + 1:
        raise InternalError(f"{len(taken)} values were handed over where {cells_end} were expected")
    variables = {
        number: value[0]
        for number, value in zip(protection.slot_numbers, taken[len(appended) : locals_end], strict=True)
        if isinstance(value, tuple)
    }
    cells = [value[0] if isinstance(value, tuple) else EMPTY for value in taken[locals_end:cells_end]]
    namespace = taken[cells_end] if len(taken) > cells_end else None
    return Snapshot(kinds, _slots(kinds, taken[: len(appended)], handled), variables, cells, namespace)


def _slots(kinds: str, highest_first: list[object], handled: object) -> list[object]:
    values: list[object] = []
    position = 0
    for kind in reversed(kinds):
        if kind in (contexts.LASTI, contexts.NULL):
            values.append(EMPTY)
            continue
        value = highest_first[position]
        position += 1
        if kind == contexts.PREVIOUS:
            values.append(handled)
            handled = value
        elif kind in (contexts.NULLABLE, contexts.EXIT_SELF):
            values.append(value[0] if isinstance(value, tuple) else EMPTY)
        else:
            values.append(value)
    values.reverse()
    return values
