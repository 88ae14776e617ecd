"""Handler tables: what would become of an exception, per code object and offset.

In: a code object as its compiler made it (of this Python, not protected), a byte offset. Out: the graph of
decisions that an exception there meets in this code object, None where no handler covers the offset.
Always true: made once per code object and handler, then looked up by identity (two compilations of the same
text are equal); nothing here depends on a frame or an exception. The table is bounded, the oldest entry goes.
"""

from __future__ import annotations

from types import CodeType
from typing import Final

from daifu_bc.crash.handlers_nodes import Node
from daifu_bc.crash.handlers_operands import operand, result_of
from daifu_bc.crash.handlers_paths import function_graph, handler_graph
from daifu_bc.crash.handlers_reading import Reader
from daifu_bc.crash.handlers_symbols import Symbol
from daifu_bc.interpreter.tables import Row

_MOST_TABLES: Final = 4096


class HandlerTable:
    """The handlers of one code object."""

    __slots__ = ("_at", "_functions", "_graphs", "code", "reader")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.reader = Reader(code)
        self._at: dict[int, Node | None] = {}
        self._graphs: dict[Row, tuple[Node, frozenset[int]]] = {}
        self._functions: dict[bool, Node] = {}

    def chain(self, offset: int) -> Node | None:
        """Where an exception at byte `offset` goes; None: straight out."""
        try:
            return self._at[offset]
        except KeyError:
            row = self.reader.row_at(offset)
            found = self._at[offset] = self._graph(row)[0] if row is not None else None
            return found

    def raising(self, offset: int) -> frozenset[int]:
        """The offsets at which the handlers of an exception at `offset` raise it again, or another one."""
        row = self.reader.row_at(offset)
        return self._graph(row)[1] if row is not None else frozenset()

    def _graph(self, row: Row) -> tuple[Node, frozenset[int]]:
        key = (0, 0, *row[2:])  # rows that lead to the same handler
        graph = self._graphs.get(key)
        if graph is None:
            graph = self._graphs[key] = handler_graph(self.reader, row)
        return graph

    def function(self, is_exit: bool) -> Node:
        """Where the code object returns and what; `is_exit`: as the `__exit__` of a context manager."""
        graph = self._functions.get(is_exit)
        if graph is None:
            graph = self._functions[is_exit] = function_graph(self.reader, is_exit)
        return graph

    def operand(self, offset: int, position: int) -> Symbol | None:
        """What slot `position` (0: top) of the value stack holds before the instruction at `offset`."""
        return operand(self.reader, offset, position)

    def called(self, offset: int) -> Symbol | None:
        """Callee and arguments of the call at `offset`."""
        return result_of(self.reader, offset)

    def yields(self) -> list[int]:
        """The places at which a generator can be thrown into: where it goes on after its own yields."""
        code, found, offset = self.reader.raw, [], 0
        while offset < len(code):
            step = self.reader.at(offset)
            if step.name == "RESUME" and step.arg & 3 == 1:
                found.append(offset)
            offset = step.end
        return found


_tables: dict[int, HandlerTable] = {}


def table_of(code: CodeType) -> HandlerTable:
    """The handler table of `code`."""
    table = _tables.get(id(code))
    if table is None:
        if len(_tables) >= _MOST_TABLES:
            _tables.pop(next(iter(_tables)), None)
        table = _tables[id(code)] = HandlerTable(code)
    return table
