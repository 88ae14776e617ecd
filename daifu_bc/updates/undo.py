"""What an edit has changed in the running program, and the way back.

In: steps, as they are done. Out: `Applied`: what was done, in words, and `undo`. Always true: undoing goes backwards;
what somebody else has changed in the meantime is left as they made it; `revert` undoes the last edit first.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from daifu_bc.surgery.texts import Edit

MISSING: Final = object()
_MOST: Final = 32  # edits that can be taken back


@dataclass(slots=True, eq=False)
class Applied:
    """An edit that the program runs now."""

    edit: Edit
    notes: list[str]
    steps: list[Callable[[], None]] = field(default_factory=list)
    functions: int = 0  # how many function objects run new code

    def undo(self) -> None:
        """Take everything back, last first."""
        while self.steps:
            self.steps.pop()()


_applied: Final[list[Applied]] = []


def remember(applied: Applied) -> None:
    """The last ones can be taken back."""
    _applied.append(applied)
    del _applied[:-_MOST]


def applied_edits() -> tuple[Applied, ...]:
    """Edits that can be taken back, oldest first."""
    return tuple(_applied)


def revert() -> Applied | None:
    """Take the last edit back: functions get their code back, names of modules and classes their values.

    Out: the edit, None where there is none. Frames that run the new code go on in it.
    """
    if not _applied:
        return None
    last = _applied.pop()
    last.undo()
    return last


def set_item(applied: Applied, namespace: dict[str, Any], before: dict[str, Any]) -> None:
    """`namespace` has been written to; it was as `before`."""
    written = {name: value for name, value in namespace.items() if before.get(name, MISSING) is not value}
    before = {name: before[name] for name in written if name in before}  # nothing else is kept alive

    def back() -> None:
        for name, value in written.items():
            if namespace.get(name, MISSING) is not value:
                continue  # the program has set it since
            if name in before:
                namespace[name] = before[name]
            else:
                del namespace[name]

    applied.steps.append(back)


def set_attribute(applied: Applied, owner: Any, name: str, value: object) -> None:
    """Set it, and remember what was there."""
    before = vars(owner).get(name, MISSING) if isinstance(owner, type) else getattr(owner, name, MISSING)
    setattr(owner, name, value)
    where = weakref.ref(owner)  # what can be taken back keeps nothing alive

    def back() -> None:
        living = where()
        if living is not None and before is MISSING:
            delattr(living, name)
        elif living is not None:
            setattr(living, name, before)

    applied.steps.append(back)


__all__ = ["MISSING", "Applied", "applied_edits", "remember", "revert", "set_attribute", "set_item"]
