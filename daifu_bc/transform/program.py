"""A small assembler: instructions with labels -> code units, exception table, line table.

In: instructions appended one by one. Out: bytes, and the code unit at which each instruction starts.
Always true: a label is the index of the instruction that it stands before; jumps name labels, never distances.
Own code and not the `bytecode` package, because that takes 90 us a statement there and back and this 10.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from daifu_bc.interpreter import opcodes, tables
from daifu_bc.interpreter.opcodes import EXTENDED_ARG, SIZES

Handler = tuple[int, int, bool]  # label, depth, lasti


COLD: Final = -1
COLD_WITH_LINE: Final = -2  # on the function's first line: a frame that waits there has to have one
STUB: Final = -3  # STUB - index: cold code on the way of a jump stands where the jump does, or tracers see a new line


class Program:
    """Instructions being laid out."""

    def __init__(self) -> None:
        self.ops: list[int] = []
        self.args: list[int] = []
        self.origins: list[int] = []  # index of the original instruction, or one of those above
        self.covers: list[Handler | None] = []
        self.jumps: list[tuple[int, int]] = []  # (instruction, label)
        self.labels: dict[int, int] = {}  # label -> instruction
        self.starts: list[int] = []  # code units, once assembled

    def emit(self, op: int, arg: int = 0, origin: int = COLD, cover: Handler | None = None) -> None:
        """Append an instruction."""
        if op < 0:
            raise AssertionError("an instruction that this Python does not have")
        self.ops.append(op)
        self.args.append(arg)
        self.origins.append(origin)
        self.covers.append(cover)

    def jump(self, op: int, label: int, origin: int = COLD, cover: Handler | None = None) -> None:
        """Append a jump to `label`."""
        self.jumps.append((len(self.ops), label))
        self.emit(op, 0, origin, cover)

    def mark(self, label: int) -> None:
        """`label` stands before the next instruction."""
        self.labels[label] = len(self.ops)

    def assemble(self) -> bytes:
        """The code units; fills in `starts` (one more entry than instructions: the end)."""
        sizes = list(map(SIZES.__getitem__, self.ops))
        for index, arg in enumerate(self.args):
            if arg > 255:
                sizes[index] += _prefixes(arg)
        targets = [(index, self.labels[label]) for index, label in self.jumps]
        backward = opcodes.BACKWARD_JUMPS | opcodes.REFERS_BACK
        while True:
            starts = list(accumulate(sizes, initial=0))
            grown = False
            for index, target in targets:
                distance = starts[target] - starts[index + 1]
                if self.ops[index] in backward:
                    distance = -distance
                if distance < 0:
                    raise AssertionError("a jump in the wrong direction")
                self.args[index] = distance
                need = SIZES[self.ops[index]] + _prefixes(distance)
                if need > sizes[index]:
                    sizes[index] = need
                    grown = True
            if not grown:
                break
        self.starts = starts
        return self._bytes(sizes)

    def _bytes(self, sizes: list[int]) -> bytes:
        codes, arguments = bytearray(self.starts[-1]), bytearray(self.starts[-1])
        for op, arg, size, at in zip(self.ops, self.args, sizes, self.starts, strict=False):
            if size != SIZES[op]:
                for shift in range(8 * (size - SIZES[op]), 0, -8):
                    codes[at] = EXTENDED_ARG
                    arguments[at] = arg >> shift & 255
                    at += 1
            codes[at] = op
            arguments[at] = arg & 255
        out = bytearray(2 * len(codes))
        out[::2], out[1::2] = codes, arguments
        return bytes(out)

    def exception_rows(self) -> list[tables.Row]:
        """Rows of the exception table, in code units."""
        rows: list[tables.Row] = []
        begin, current = 0, None
        for index, cover in enumerate(self.covers):
            if cover is current or cover == current:
                continue
            self._close(rows, begin, index, current)
            begin, current = index, cover
        self._close(rows, begin, len(self.covers), current)
        return rows

    def _close(self, rows: list[tables.Row], begin: int, end: int, cover: Handler | None) -> None:
        if cover is not None and begin < end:
            label, depth, lasti = cover
            rows.append((self.starts[begin], self.starts[end], self.starts[self.labels[label]], depth, lasti))

    def line_table(self, positions: list[tables.Position], first_line: int) -> bytes:
        """The line table; `positions` by original instruction."""
        runs: list[tuple[int, tables.Position]] = []
        begin, current, same = 0, tables.NO_POSITION, COLD
        starts = self.starts
        waiting: tables.Position = (first_line, first_line, None, None)
        cold = {COLD: tables.NO_POSITION, COLD_WITH_LINE: waiting}
        for index, origin in enumerate(self.origins):
            if origin == same:
                continue
            same = origin
            position = cold[origin] if STUB < origin < 0 else positions[origin if origin >= 0 else STUB - origin]
            if position is not current and position != current:
                if begin < index:
                    runs.append((starts[index] - starts[begin], current))
                begin, current = index, position
        runs.append((starts[-1] - starts[begin], current))
        return tables.build_line_table(runs, first_line)


def _prefixes(arg: int) -> int:
    return 0 if arg < 256 else 1 if arg < 65536 else 2 if arg < 16777216 else 3
