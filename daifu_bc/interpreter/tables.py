"""Exception tables and line tables: bytes <-> rows.

In and out: `co_exceptiontable` and rows (start, end, target, depth, lasti), offsets in code units, end exclusive;
positions (lineno, end_lineno, col, end_col) per run of code units and `co_linetable`.
Always true: rows do not overlap and are in order; building what was parsed gives the same meaning back.
Source of the formats: CPython InternalDocs, exception_handling.md and code_objects.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = tuple[int, int, int, int, bool]  # start, end, target (code units), depth, lasti
Position = tuple[int | None, int | None, int | None, int | None]
NO_POSITION: Position = (None, None, None, None)


def parse_exception_table(table: bytes) -> list[Row]:
    """Rows of an exception table."""
    rows: list[Row] = []
    i, n = 0, len(table)
    while i < n:
        numbers = []
        for _ in range(4):
            byte = table[i]
            value = byte & 63
            while byte & 64:
                i += 1
                byte = table[i]
                value = value << 6 | (byte & 63)
            i += 1
            numbers.append(value)
        start, length, target, depth_lasti = numbers
        rows.append((start, start + length, target, depth_lasti >> 1, bool(depth_lasti & 1)))
    return rows


def _varint(value: int, first: int, out: bytearray) -> None:
    shift = 0
    while value >> shift >= 64:
        shift += 6
    while shift:
        out.append(first | 64 | (value >> shift & 63))
        first = 0
        shift -= 6
    out.append(first | (value & 63))


def build_exception_table(rows: Iterable[Row]) -> bytes:
    """The table of these rows; neighbours that lead to the same place are joined."""
    joined: list[Row] = []
    for row in rows:
        if row[0] == row[1]:
            continue
        if joined and joined[-1][1] == row[0] and joined[-1][2:] == row[2:]:
            joined[-1] = (joined[-1][0], *row[1:])
        else:
            joined.append(row)
    out = bytearray()
    for start, end, target, depth, lasti in joined:
        _varint(start, 128, out)
        _varint(end - start, 0, out)
        _varint(target, 0, out)
        _varint(depth << 1 | lasti, 0, out)
    return bytes(out)


def shift_exception_table(rows: Sequence[Row], units: int) -> list[Row]:
    """The same rows for code that begins `units` later."""
    return [(start + units, end + units, target + units, depth, lasti) for start, end, target, depth, lasti in rows]


def _unsigned(value: int, out: bytearray) -> None:
    while value >= 64:
        out.append(64 | (value & 63))
        value >>= 6
    out.append(value)


def _signed(value: int, out: bytearray) -> None:
    _unsigned(((-value) << 1) | 1 if value < 0 else value << 1, out)


def no_location_entries(units: int) -> bytes:
    """Line-table entries that give `units` code units no location."""
    out = bytearray()
    while units > 0:
        run = min(units, 8)
        out.append(128 | 15 << 3 | (run - 1))
        units -= run
    return bytes(out)


def build_line_table(runs: Iterable[tuple[int, Position]], first_line: int) -> bytes:
    """The line table for runs of (code units, position)."""
    out = bytearray()
    line = first_line
    for units, position in runs:
        lineno, end_lineno, col, end_col = position
        while units > 0:
            run = min(units, 8)
            units -= run
            low = run - 1
            if lineno is None:
                out.append(128 | 15 << 3 | low)
                continue
            delta = lineno - line
            line = lineno
            if col is None or end_col is None or end_lineno is None:
                out.append(128 | 13 << 3 | low)
                _signed(delta, out)
            elif end_lineno == lineno and delta == 0 and col < 80 and 0 <= end_col - col < 16:
                out.append(128 | (col >> 3) << 3 | low)
                out.append((col & 7) << 4 | (end_col - col))
            elif end_lineno == lineno and 0 <= delta < 3 and col < 128 and end_col < 128:
                out.append(128 | (10 + delta) << 3 | low)
                out.append(col)
                out.append(end_col)
            else:
                out.append(128 | 14 << 3 | low)
                _signed(delta, out)
                _unsigned(end_lineno - lineno, out)
                _unsigned(col + 1, out)
                _unsigned(end_col + 1, out)
    return bytes(out)
