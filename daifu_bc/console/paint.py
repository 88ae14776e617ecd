"""Lines on a terminal: coloured by rich where there are colours, plain elsewhere.

In: lines of (text, style) pieces and a file. Out: text written to it. Always true: the text is the same with
and without colours; rich is imported here, when it is first needed, only; what the file's encoding cannot
hold is written as escapes.
"""

from __future__ import annotations

import os
import shutil
from typing import Any, TextIO, cast

from daifu_bc.console.banner import Line, plain

STYLES = {
    "error": "bold red",
    "name": "bold",
    "code": "cyan",
    "mark": "bold red",
    "number": "bold green",
    "value": "green",
    "dim": "dim",
    "": "",
}
NARROWEST = 40


def width_of(file: TextIO) -> int:
    """Columns of the terminal behind `file`, or of the environment's."""
    try:
        columns = getattr(file, "columns", 0) or os.get_terminal_size(file.fileno()).columns
    except (OSError, ValueError, AttributeError):
        columns = 0
    return max(columns or shutil.get_terminal_size().columns, NARROWEST) - 1


def has_colours(file: TextIO) -> bool:
    """Whether `file` is a terminal that shows colours and nobody said no."""
    if isinstance(far := getattr(file, "has_colours", None), bool):  # a terminal elsewhere, which has said so
        return far
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in ("dumb", ""):
        return False
    try:
        return file.isatty()
    except (ValueError, OSError, AttributeError):
        return False


def paint(lines: list[Line], file: TextIO) -> None:
    """Write `lines` to `file`."""
    if not (has_colours(file) and _paint_with_rich(lines, file)):
        write("\n".join(map(plain, lines)) + "\n", file)


def _paint_with_rich(lines: list[Line], file: TextIO) -> bool:
    try:
        from rich.console import Console
        from rich.text import Text

        console = Console(file=cast(TextIO, _Whole(file)), force_terminal=True, force_jupyter=False)
        rows = [Text.assemble(*[(piece, STYLES[style]) for piece, style in line]) for line in lines]
        console.print(Text("\n").join(rows), soft_wrap=True, markup=False, highlight=False, emoji=False)
    except Exception:  # rich may be missing, old, or half imported at the crash: plain text will do
        return False
    return True


class _Whole:
    """A text file that never refuses a character."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        write(text, self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def write(text: str, file: TextIO) -> None:
    """Write `text`, what cannot be encoded as escapes."""
    try:
        file.write(text)
    except UnicodeEncodeError:
        encoding = getattr(file, "encoding", None) or "ascii"
        file.write(text.encode(encoding, "backslashreplace").decode(encoding))
    file.flush()
