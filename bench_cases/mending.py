"""What a user does in the editor, for policies: change the program's file, then go on in it.

In: a crash. Out: a Surgery. Always true: a text that is not there exactly once is an error, never a silent no.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daifu_bc import Surgery


def edit(crash: Any, *changes: tuple[str, str], at: str | None = None) -> Surgery:
    """Change texts in the crashed function's file; `at`: go on at the first line that reads so, not at the crash."""
    change_file(crash.filename, *changes)
    if at is None:
        return Surgery()
    lines = [line.strip() for line in Path(crash.filename).read_text().splitlines()]
    return Surgery(at=lines.index(at) + 1)


def change_file(filename: str, *changes: tuple[str, str]) -> None:
    """Each old text replaced by its new one."""
    Path(filename).write_text(changed(Path(filename).read_text(), *changes))


def changed(text: str, *changes: tuple[str, str]) -> str:
    """`text` with each old text, which stands in it exactly once, replaced by its new one."""
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    return text
