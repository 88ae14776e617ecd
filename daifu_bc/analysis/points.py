"""Points of a function at which a run can go on: statement starts, loop headers, what follows.

In: `Flow`, an instruction, statements from the source where it is there. Out: instruction indices.
Always true: a base point's value stack holds exactly the slots of the cells it is in; a point is only offered
if those slots are among the ones that the crash has, in the same loops and `with` blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from daifu_bc.analysis import source, values
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.source import Loop, Statement
from daifu_bc.analysis.values import Stack, Value
from daifu_bc.interpreter import behavior, opcodes, tables

Span = tuple[tuple[int, int], tuple[int, int]]


class Points:
    """Points of one function, seen from instruction `index`."""

    def __init__(self, flow: Flow, index: int, positions: list[tables.Position]) -> None:
        self.flow = flow
        self.ins = flow.instructions
        self.index = index
        self._positions = positions

    # Where things are.

    def position(self, index: int) -> tables.Position:
        """Source position of an instruction, as tracebacks show it."""
        return self._positions[index]

    def place(self, index: int) -> tables.Position:
        """Source position of what an instruction is there for: a header's is that of what it asks or enters."""
        if self.ins.ops[index] not in _SPANNING or self.flow.before[index] is UNREACHED:
            return self._positions[index]
        value = next(values.top_down(self.flow.before[index]))  # type: ignore[arg-type]
        while value.operands and (value.kind == values.ITERATOR or self.ins.ops[value.index] in _SPANNING):
            value = value.operands[0]
        return self._positions[value.index if value.kind < values.JOIN else index]

    def statement(self, index: int | None = None) -> Statement | None:
        """The statement that an instruction (the crash's by default) belongs to, if the source tells."""
        return source.statement_at(self.ins.code, self.position(self.index if index is None else index))

    def _inside(self, statement: Statement | None) -> Callable[[int], bool]:
        """Does an instruction belong to the failing statement itself?"""
        if statement is None:
            lineno = self.position(self.index)[0]
            return lambda index: self.position(index)[0] == lineno
        begin, end = (statement.lineno, statement.col), (statement.end_lineno, statement.end_col)

        def inside(index: int) -> bool:
            lineno, end_lineno, col, end_col = self.place(index)
            if lineno is None or end_lineno is None:
                return False
            if col is None or end_col is None:
                return begin[0] <= lineno and end_lineno <= end[0]
            return begin <= (lineno, col) and (end_lineno, end_col) <= end

        return inside

    def stored_since(self, index: int) -> set[str]:
        """Local variables that are stored to between `index` and here."""
        names, found = self.ins.code.co_varnames, set()
        for op, arg in zip(self.ins.ops[index : self.index], self.ins.args[index : self.index], strict=True):
            if op in opcodes.STORES_FAST:
                found |= {arg >> 4, arg & 15} if op in opcodes.PAIRS else {arg}
        return {names[number] for number in found if number < len(names)}

    # What can be entered.

    def is_base(self, index: int) -> bool:
        """Is the value stack before `index` exactly that of its cells?"""
        stack = self.flow.before[index]
        if stack is UNREACHED or self.ins.ops[index] in _NO_POINT:
            return False
        row = self.flow.cover[index]
        owned = values.owned_of(stack)  # type: ignore[arg-type]
        if row >= 0:
            owned = max(owned, self.ins.rows[row][3])
        return values.depth_of(stack) == owned  # type: ignore[arg-type]

    def is_open(self, index: int) -> bool:
        """Are the slots that `index` wants among those that the crash has?"""
        wanted = self.flow.before[index]
        if wanted is UNREACHED:
            return False
        have = values.cut(self.flow.before[self.index], own_depth(self.flow, self.index))  # type: ignore[arg-type]
        return same_cells(wanted, values.cut(have, values.depth_of(wanted)))  # type: ignore[arg-type]

    def chain(self, index: int) -> list[int]:
        """Exception-table rows around `index`, innermost first, ending with -1."""
        rows: list[int] = []
        row = self.flow.cover[index]
        while row >= 0 and row not in rows:
            rows.append(row)
            row = self.flow.cover[self.ins.rows[row][2]]
        rows.append(-1)
        return rows

    # Points.

    def statement_start(self) -> int | None:
        """Where the failing statement begins."""
        if self.ins.code.co_argcount and self.ins.code.co_varnames[0] == ".0":  # (a class body has no arguments)
            return self._element_start()
        inside = self._inside(self.statement())
        found = None
        index = self.index
        while index >= 0 and inside(index):
            if self.is_base(index) and self.is_open(index):
                found = index
            index -= 1
        if found is not None and (
            any(opcodes.RAISES[op] for op in self.ins.ops[index + 1 : found]) or self._is_later_part(found)
        ):
            return None  # a part of the statement is done: its beginning cannot be entered
        return found

    def _element_start(self) -> int | None:
        """Where the element of a generator expression begins: the source is not its own, the item is kept."""
        loops = self.loops()
        if not loops:
            return None
        header = loops[0].index
        if header == self.index:
            return header
        return next((index for index in range(header + 1, self.index + 1) if self.is_base(index)), None)

    def end_of_statement(self) -> int | None:
        """Where control flows when the failing statement is done, None if that cannot be told."""
        statement = self.statement()
        if statement is not None and statement.header:
            return self._end_of_compound(statement)
        if statement is None or statement.kind not in _LEAVING:
            inside = self._inside(statement)
            index = self.index
            while index < len(self.ins.ops) and inside(index):
                target = self.ins.targets[index] if self.ins.ops[index] in opcodes.PLAIN_JUMPS else index + 1
                index = index + 1 if target < len(self.ins.ops) and inside(target) else target
            if index < len(self.ins.ops) and self.is_base(index) and self.is_open(index):
                return index
        return None

    def _end_of_compound(self, statement: Statement) -> int | None:
        """The one place to which control flows from inside a compound statement, but by break, return and the like."""
        span = source.whole(self.ins.code, statement)
        if span is None:
            return None
        seen: set[int] = set()
        left: set[int] = set()
        waiting = [self.index]
        while waiting:
            index = waiting.pop()
            if index in seen:
                continue
            seen.add(index)
            if index != self.index and not self._within(index, span):
                left.add(index)
            elif not self._leaves(index):
                waiting += self._following(index)
        ends = sorted(index for index in left if self.is_base(index) and self.is_open(index))
        one_place = len({self.position(index) for index in ends}) == 1
        return ends[0] if one_place else None

    def _within(self, index: int, span: Span) -> bool:
        position = self.position(index)
        return position[0] is None or (span[0] <= _begin_of(position) < span[1])

    def _leaves(self, index: int) -> bool:
        statement = self.statement(index) if self.position(index)[0] is not None else None
        return statement is not None and statement.kind in _LEAVING

    def _following(self, index: int) -> list[int]:
        op, target = self.ins.ops[index], self.ins.targets[index]
        following = [] if op in opcodes.NO_FALLTHROUGH else [index + 1]
        return following + ([target] if target >= 0 and op not in opcodes.REFERS_BACK else [])

    def after_statement(self) -> int | None:
        """Where the text goes on after the failing statement, -1 for the function's end, None if that is unknown."""
        following = self.statement()
        while following is not None and source.follows_at_once(self.ins.code, following):
            following = source.next_statement(self.ins.code, following)
            if following is None:
                return -1
            if following.header or self._is_compiled(following):
                return self.start_of(following)
        return None

    def _is_compiled(self, statement: Statement) -> bool:
        """Has the compiler left any instruction of it?"""
        inside = self._inside(statement)
        return any(inside(index) for index in range(len(self.ins.ops)))

    def start_of(self, statement: Statement) -> int | None:
        """The first point of `statement` that can be entered; a loop's own header while it runs: its iterator."""
        header = self._running_header(statement)
        if header is not None:
            return header
        begin, end = (statement.lineno, statement.col), (statement.end_lineno, statement.end_col)
        return self._first(lambda position: begin <= _begin_of(position) and _end_of(position) <= end)

    def _running_header(self, statement: Statement) -> int | None:
        if statement.kind not in ("For", "AsyncFor"):
            return None
        begin, end = (statement.lineno, statement.col), (statement.end_lineno, statement.end_col)
        for loop in self.loops():
            position = self.position(loop.index)  # only where it begins is in the header: on 3.12 it is the whole loop
            if position[0] is not None and begin <= _begin_of(position) <= end:
                return loop.index
        return None

    def line_start(self, lineno: int) -> int | None:
        """The first point on a line that can be entered."""
        found = self._first(lambda position: position[0] == lineno)
        return None if found is None or self._is_later_part(found) else found

    def _is_later_part(self, index: int) -> bool:
        """Is this where a `with` has its second manager, or is left? (It has the position of the `with`.)"""
        statement = self.statement(index)
        if statement is None or statement.kind not in ("With", "AsyncWith"):
            return False
        inside = self._inside(statement)
        return any(inside(earlier) and opcodes.RAISES[self.ins.ops[earlier]] for earlier in range(index))

    def line_exists(self, lineno: int) -> bool:
        """Does any statement begin on this line?"""
        return any(
            position[0] == lineno and self.is_base(index) for index, position in enumerate(self._positions)
        )

    def _first(self, wanted: Callable[[tables.Position], bool]) -> int | None:
        for index, position in enumerate(self._positions):
            if position[0] is not None and wanted(position) and self.is_base(index) and self.is_open(index):
                return index
        return None

    def while_loops(self) -> list[Loop]:
        """`while` loops around the crash, innermost first."""
        lineno, _end_lineno, col, _end_col = self.position(self.index)
        if lineno is None:
            return []
        here = (lineno, col or 0)
        return [
            loop
            for loop in reversed(source.find_loops(self.ins.code))
            if loop.kind == "While" and loop.whole[0::2] <= here <= loop.whole[1::2]
        ]

    def while_header(self, loop: Loop) -> int | None:
        """Where a `while` loop tests its condition; its first statement if the condition was optimized away."""
        lineno, end_lineno, col, end_col = loop.subject
        test = self._first(
            lambda position: (lineno, col) <= _begin_of(position) and _end_of(position) <= (end_lineno, end_col)
        )
        if test is not None:
            return test
        header, end = (end_lineno, end_col), loop.whole[1::2]
        return self._first(lambda position: header < _begin_of(position) <= end)

    def loops(self) -> list[Value]:
        """Iterators of the loops around the crash, innermost first; `index` is the header's instruction."""
        have = values.cut(self.flow.before[self.index], own_depth(self.flow, self.index))  # type: ignore[arg-type]
        return [value for value in values.top_down(have) if value.kind == values.ITERATOR and value.null == 0]


def _begin_of(position: tables.Position) -> tuple[int, int]:
    return position[0] or 0, position[2] or 0


def _end_of(position: tables.Position) -> tuple[int, int]:
    return position[1] or 0, position[3] or 0


def same_cells(one: Stack, other: Stack) -> bool:
    """Do two stacks hold the slots of the same cells?"""
    while one is not other:
        if one is None or other is None or one[2] != other[2]:
            return False
        first, second = one[0], other[0]
        if first is not second and (first.kind, first.index, first.out) != (second.kind, second.index, second.out):
            return False
        one, other = one[1], other[1]
    return True


# On 3.12 these have the position of the whole statement, body included.
_SPANNING = frozenset(
    op
    for op in (opcodes.GET_ITER, opcodes.FOR_ITER, opcodes.GET_AITER, opcodes.BEFORE_WITH, opcodes.BEFORE_ASYNC_WITH)
    if op >= 0 and behavior.headers_span_their_statement
)
_LEAVING = frozenset({"Return", "Raise", "Break", "Continue"})
_NO_POINT = opcodes.NEVER_COVERED | opcodes.RERAISES | frozenset(
    op for op in (opcodes.RESUME, opcodes.END_FOR, opcodes.NOT_TAKEN) if op >= 0
)
