"""One living protected frame at a crash: where it is, what it holds, what the developer changed about it.

In: a frame, its protection, the original instruction that failed or calls. Out: `FrameState`.
Always true: nothing here changes the frame except through `variables`; changes to kept results and iterators
are recorded and take effect when the frame is rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import FrameType

from daifu_bc.analysis import contexts
from daifu_bc.analysis.points import Points
from daifu_bc.analysis.values import Value
from daifu_bc.crash.entries import Entry
from daifu_bc.crash.search import Level
from daifu_bc.crash.variables import Variables
from daifu_bc.transform.registry import Protection


@dataclass(eq=False)
class FrameState:
    """A living protected frame."""

    level: Level
    protection: Protection
    index: int  # instruction of the original code
    context: int  # number of the barrier context that the exception is at
    entry: Entry | None
    exception: BaseException
    shown: tuple[object, ...] | None  # iterators and exits on the value stack, lowest first; None: it is in a call
    dropped: set[Value] = field(default_factory=set)  # kept results to evaluate again
    assigned: dict[int, object] = field(default_factory=dict)  # hidden local number -> new kept result
    new_iterators: dict[int, object] = field(default_factory=dict)  # slot of the value stack -> new iterator
    extra: dict[str, object] = field(default_factory=dict)  # names that actions made, which live with the crash

    @property
    def frame(self) -> FrameType:
        return self.level.frame

    @cached_property
    def points(self) -> Points:
        return Points(self.protection.flow, self.index, self.protection.positions)

    @cached_property
    def variables(self) -> Variables:
        return Variables(self.frame, self.protection.original, namespace=self.level.namespace)  # type: ignore[arg-type]

    @property
    def lineno(self) -> int | None:
        """Line of the failing (or calling) instruction."""
        return self.points.position(self.index)[0]

    @property
    def kinds(self) -> str:
        """Kinds of the slots that survive here, lowest first."""
        if self.context >= 0:
            return self.protection.contexts.table[self.context].kinds
        return contexts.kinds_below(self.protection.flow, self.index)

    @property
    def moved(self) -> bool:
        """Has the exception left the block of the failing instruction (a handler raised it again)?"""
        return self.context != self.protection.contexts.of[self.index]

    @property
    def iterators(self) -> list[object] | None:
        """Iterators of the loops around, outermost first; None: out of reach while the frame is in a call."""
        return None if self.shown is None else [self.slot_value(slot) for slot in self.iterator_slots()]

    def slot_value(self, slot: int) -> object:
        """What an iterator's or exit's slot of the value stack holds."""
        slots = [slot for slot, kind in enumerate(self.kinds) if kind in contexts.SHOWN]
        return self.shown[slots.index(slot)] if self.shown is not None and slot in slots else None

    def iterator_slots(self) -> list[int]:
        """Slots of the value stack that hold loop iterators, outermost first."""
        return [slot for slot, kind in enumerate(self.kinds) if kind == contexts.ITERATOR]

    def held(self) -> dict[str, object]:
        """The frame's own variables: where they are the same, nothing was done since."""
        if self.variables.in_function:
            names = self.protection.original.co_varnames
            return {name: self.variables.get(name) for name in names if not name.startswith(".")}
        return dict(self.variables.namespace)
