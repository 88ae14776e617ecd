"""Process-wide switches (gradient mode, default dtype) that are not as they were when an entry was first called.

In: readers, handed in from above (integrations); the entries of a crash that is let go. Out: a note on its exception.
"First called" is the moment at which the one-shot event of an entry protects along what it needs; where no event can
be had, the moment of `protect`. Later calls cost nothing, and are compared with that first one.
Always true: a switch that a reader did not know at both moments is not compared; the note is added once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from daifu_bc.crash.entries import Entry

Reader = Callable[[], dict[str, object]]  # what a switch is called -> its value
_readers: Final[list[Reader]] = []
_BEGINS: Final = "daifu_bc: not as it was when the protected function was first called: "


def add_reader(reader: Reader) -> None:
    """Look at these switches too. Adding one twice is adding it once."""
    if reader not in _readers:
        _readers.append(reader)


def remember(entries: Iterable[Entry | None]) -> None:
    """These entries are called now."""
    now = _read()
    for entry in entries:
        if entry is not None and not entry.switches:
            entry.switches.update(now)


def note_differences(exception: BaseException, entry: Entry | None) -> None:
    """`exception` is let go: name the switches that are not as they were at the start of `entry`."""
    if entry is None or not entry.switches or any(
        text.startswith(_BEGINS) for text in getattr(exception, "__notes__", ()) if isinstance(text, str)
    ):
        return
    now, start = _read(), entry.switches
    changed = [name for name, value in now.items() if name in start and start[name] != value]
    if changed:
        text = _BEGINS + ", ".join(f"{name} is {now[name]} (was {start[name]})" for name in changed)
        try:
            exception.add_note(text)
        except Exception:  # an exception class that refuses notes
            return


def _read() -> dict[str, object]:
    return {name: value for reader in _readers for name, value in reader().items()}
