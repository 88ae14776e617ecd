"""The banner: what the developer sees first.

In: a crash and the index of one of its frames. Out: lines, each a list of (text, style) pieces. Always true:
lines are bounded and free of control characters; nothing of the program runs but the reprs of the values
shown, and whatever they raise is shown in their place.
"""

from __future__ import annotations

import textwrap
import traceback

from daifu_bc.console.choices import Choice, default, placed
from daifu_bc.console.names import MISSING, used_values
from daifu_bc.console.progress import how_far
from daifu_bc.console.values import one_line, printable, short
from daifu_bc.console.view import CrashLike, FrameLike, LoopLike
from daifu_bc.restarts.restarts import Abort, At, Restart

Piece = tuple[str, str]  # text, style
Line = list[Piece]

MESSAGE_LINES = 8
STATEMENT_LINES = 12
VALUES = 10
HINT = "assign to mend (x = 3), u and d choose the frame, help lists the commands"


def plain(line: Line) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line)


def banner(crash: CrashLike, index: int, offered: list[Choice], width: int) -> list[Line]:
    """Everything about the crash in frame number `index`."""
    frame = crash.frames[index]
    parts = [
        [*_message(crash.exception, width), _place(crash, frame)],
        statement_lines(frame, width),
        value_lines(frame, width),
        loop_lines(frame, width),
        [*choice_lines(crash, index, offered, width), [(one_line(HINT, width), "dim")]],
    ]
    lines: list[Line] = []
    for part in parts:
        lines += [[("", "")], *part] if part else []
    return lines


def _message(exception: BaseException | None, width: int) -> list[Line]:
    if exception is None:
        return [[("paused", "error")]]
    try:
        text = "".join(traceback.format_exception_only(exception)).rstrip()
    except Exception as error:  # an exception's __str__ is code of the program
        text = f"{type(exception).__qualname__} (its message cannot be made: {type(error).__name__})"
    rows = printable(text).splitlines() or [type(exception).__qualname__]
    more = [[(f"... {len(rows) - MESSAGE_LINES} lines more", "dim")]] if len(rows) > MESSAGE_LINES else []
    return [[(cropped(row, 3 * width), "error")] for row in rows[:MESSAGE_LINES]] + more


def _place(crash: CrashLike, frame: FrameLike) -> Line:
    line: Line = [("in ", "dim"), (frame.function, "name"), (f"  {frame.filename}:{frame.lineno}", "dim")]
    if crash.attempt > 1:
        line.append((f"  crashed here {crash.attempt} times in a row", "error"))
    return line


def statement_lines(frame: FrameLike, width: int) -> list[Line]:
    """The failing statement; the failing expression underlined if it is narrower."""
    rows = textwrap.dedent(frame.statement.expandtabs()).strip("\n").splitlines()
    marked = _find_once(rows, frame.expression.strip())
    lines: list[Line] = []
    for number, row in enumerate(rows[:STATEMENT_LINES]):
        lines.append([("  ", ""), (cropped(printable(row), width - 2), "code")])
        if marked is not None and marked[0] == number and marked[2] <= width - 2:
            lines.append([("  " + " " * marked[1] + "^" * (marked[2] - marked[1]), "mark")])
    if len(rows) > STATEMENT_LINES:
        lines.append([(f"  ... {len(rows) - STATEMENT_LINES} lines more", "dim")])
    narrower = frame.expression.strip() != "\n".join(rows).strip()
    if rows and frame.expression and narrower and (marked is None or marked[0] >= STATEMENT_LINES):
        lines.append([("  in ", "dim"), (one_line(frame.expression, width - 5), "mark")])
    return lines


def _find_once(rows: list[str], expression: str) -> tuple[int, int, int] | None:
    """Row, start and end of `expression`, if it is narrower than the statement and stands there only once."""
    if not expression or [row.strip() for row in rows] == [expression]:
        return None
    found = [(number, row.index(expression)) for number, row in enumerate(rows) if expression in row]
    if len(found) != 1 or rows[found[0][0]].count(expression) != 1:
        return None
    return (*found[0], found[0][1] + len(expression))


def value_lines(frame: FrameLike, width: int) -> list[Line]:
    """The variables that the failing statement uses."""
    try:
        values = list(used_values(frame.statement, frame.locals, frame.globals))
    except Exception as error:  # what can be shown of a crash must not depend on all of it
        return [[(one_line(f"  the values cannot be shown: {error!r}", width), "dim")]]
    lines: list[Line] = []
    for name, value in values[:VALUES]:
        missing = value is MISSING
        text = "not defined" if missing else short(value, max(width - len(name) - 5, 20))
        lines.append([("  ", ""), (name, "name"), (" = ", "dim"), (text, "dim" if missing else "value")])
    if len(values) > VALUES:
        lines.append([(f"  ... {len(values) - VALUES} more", "dim")])
    return lines


def loop_lines(frame: FrameLike, width: int) -> list[Line]:
    """The loops around the crash, innermost first, and how far they are."""
    return [_loop(number, loop, width) for number, loop in enumerate(frame.loops)]


def _loop(number: int, loop: LoopLike, width: int) -> Line:
    alive = loop.state == "alive"
    far = how_far(loop.iterator) if alive else f"its iterator is {loop.state}"
    told = "".join(f", {part}" for part in (f"line {loop.lineno}" if loop.lineno else "", far) if part)
    source = one_line(loop.source, max(width - len(told) - 10, 20))
    return [(f"  loop {number}  ", "dim"), (source, "code"), (told, "dim" if alive else "error")]


def choice_lines(crash: CrashLike, index: int, offered: list[Choice], width: int) -> list[Line]:
    """The restarts: possible ones numbered, refused ones with the reason, the default named."""
    taken = default(crash, index)
    column = max(len(choice.usage) for choice in offered) + 2
    lines: list[Line] = []
    number = 0
    for choice in offered:
        usage = choice.usage.ljust(column)
        if choice.refused is not None:
            reason = one_line(choice.refused, 3 * width)
            lines.append([(f"   -  {usage}no: {reason}", "dim")])
            continue
        number += 1
        is_default = placed(crash, index, choice.restart) == taken and not isinstance(taken, Abort)
        meaning = one_line(choice.meaning, max(width - column - 6, 20))
        mark = f"{'c' if is_default else ' '} {number:>2}  "
        lines.append([(mark, "number"), (usage, "name"), (meaning, "")])
    return [*lines, _default_line(crash, taken)]


def _default_line(crash: CrashLike, taken: Restart) -> Line:
    if isinstance(taken, Abort):
        return [("c would abort: nothing else is possible without a value or a line", "dim")]
    command, place = (
        (taken.restart, crash.frames[taken.frame].function) if isinstance(taken, At) else (taken, "")
    )
    where = f" in {place}" if place else ""
    return [("c takes ", "dim"), (str(command), "name"), (f"{where}; a number picks", "dim")]


def cropped(text: str, width: int) -> str:
    """`text`, at most `width` characters of it."""
    return text if len(text) <= width else text[: max(width - 3, 1)] + "..."
