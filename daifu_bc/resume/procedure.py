"""Unfinished procedures: code objects that restore a snapshot and enter protected code at a resume point.

What we want: go on in the middle of a function, in at most a millisecond even if it has 20,000 statements.
What does not work: disassembling and assembling again (seconds). What we do: a prologue in front of the
untouched bytes; all jumps are relative and stay valid, the exception table is shifted (once for each length of
prologue, which is padded so that few lengths occur; that of a long function when it is protected).
Always true: the local slots are those of the function; the code object keeps no value alive: values come out
of a list that only the prologue's `pop` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from inspect import (
    CO_ASYNC_GENERATOR,
    CO_GENERATOR,
    CO_ITERABLE_COROUTINE,
    CO_OPTIMIZED,
    CO_VARARGS,
    CO_VARKEYWORDS,
)
from itertools import starmap
from types import CodeType, FrameType, FunctionType
from typing import Any

from daifu_bc.analysis import contexts
from daifu_bc.interpreter import behavior, opcodes, tables, tool_ids
from daifu_bc.resume.snapshot import EMPTY, Snapshot
from daifu_bc.transform import registry
from daifu_bc.transform.program import Program
from daifu_bc.transform.registry import Protection


@dataclass(frozen=True, slots=True, eq=False)
class Entrance:
    """Where and how a function is entered."""

    index: int  # instruction of the original that the recipe is for (its barrier covers the recipe)
    position: int  # instruction of the protected code to go on at
    depth: int  # how many of the snapshot's slots are rebuilt
    recipe: list[tuple[int, int]]  # instructions on top of those; (-1, 0): the next of `values`
    values: list[object]
    once: Callable[[], None] | None = None  # the instruction runs in the prologue, then this, then what is behind it
    raises: BaseException | None = None  # nothing goes on: it is raised again, for the program's own handlers,
    context: int = -1  # those behind this barrier


def build_procedure(
    protected: CodeType,
    protection: Protection,
    snapshot: Snapshot,
    entrance: Entrance,
    frame_globals: dict[str, Any],
) -> Callable[[], Any]:
    """A callable without arguments that goes on from the snapshot."""
    writer = _Prologue(protection, snapshot, entrance, len(protected.co_consts))
    code = _assemble(protected, protection, entrance, writer)
    return _callable(code, protection, snapshot, frame_globals)


def watch_on(procedure: Callable[[], Any], crashed: FrameType) -> None:
    """Somebody may have asked for a pause of `crashed` while it was decided about: it is `procedure` that goes on."""
    code: object = None
    if isinstance(procedure, FunctionType):
        code = procedure.__code__
    elif isinstance(procedure, partial):
        code = procedure.args[0]
    if isinstance(code, CodeType):
        tool_ids.follow(crashed.f_code, code, tool_ids.events.LINE)


class _Prologue:
    """Writes the code that restores locals and value stack, and lists the values that it takes (last one first)."""

    def __init__(self, protection: Protection, snapshot: Snapshot, entrance: Entrance, pop_const: int) -> None:
        self.protection = protection
        self.snapshot = snapshot
        self.entrance = entrance
        self.pop_const = pop_const
        self.program = Program()
        self.state: list[object] = []
        self.deepest = 0
        self.recipe_at = 0
        self._write()
        self.state.reverse()

    def _write(self) -> None:
        p, flags = self.program, self.protection.original.co_flags
        if self.protection.free_count:
            p.emit(opcodes.COPY_FREE_VARS, self.protection.free_count)
        if flags & behavior.GENERATES:
            p.emit(opcodes.RETURN_GENERATOR)
            p.emit(opcodes.POP_TOP)
        p.emit(opcodes.RESUME, 0)
        self._locals()
        for position in range(self.entrance.depth):
            self._slot(position)
        self.recipe_at = len(p.ops)
        p.emit(opcodes.NOP)  # an exception out of a Python callee looks its handler up one code unit early
        values = iter(self.entrance.values)
        for op, arg in self.entrance.recipe:
            if op < 0:
                self._next(next(values))
            else:
                p.emit(op, arg)
        if self.entrance.once is not None:
            self._run_once(self.entrance.once)
        if self.entrance.raises is not None:
            self._next(self.entrance.raises)
            p.emit(opcodes.RERAISE, 0)  # and no RAISE_VARARGS: its traceback stays as it is

    def _run_once(self, done: Callable[[], None]) -> None:
        """The failing instruction itself, so that it can be told when it is done."""
        ins = self.protection.flow.instructions
        op, arg = ins.ops[self.entrance.index], ins.args[self.entrance.index]
        self.program.emit(op, arg)
        self._next(done)
        self.program.emit(opcodes.PUSH_NULL)
        if not behavior.null_follows_callable:
            self.program.emit(opcodes.SWAP, 2)
        self.program.emit(opcodes.CALL, 0)
        self.program.emit(opcodes.POP_TOP)

    def _next(self, value: object) -> None:
        """Push the next value of the state list."""
        p = self.program
        self.state.append(value)
        if not behavior.null_follows_callable:
            p.emit(opcodes.PUSH_NULL)
        p.emit(opcodes.LOAD_CONST, self.pop_const)
        if behavior.null_follows_callable:
            p.emit(opcodes.PUSH_NULL)
        p.emit(opcodes.CALL, 0)

    def _locals(self) -> None:
        """Bind all locals and cells at once."""
        found = dict(self.snapshot.variables)
        own_cells = len(self.protection.cell_numbers) - self.protection.free_count
        cells = zip(self.protection.cell_numbers[:own_cells], self.snapshot.cells, strict=False)
        found.update((number, cell) for number, cell in cells if cell is not EMPTY)
        if found:
            self._next(tuple(found.values()))
            self.program.emit(opcodes.UNPACK_SEQUENCE, len(found))
            for number in found:
                self.program.emit(opcodes.STORE_FAST, number)
            self.deepest = len(found)

    def _slot(self, position: int) -> None:
        """Push what one slot of the value stack held."""
        p = self.program
        kind, value = self.snapshot.kinds[position], self.snapshot.slots[position]
        if kind == contexts.LASTI:
            self._lasti(position)
        elif kind == contexts.PREVIOUS:
            self._next(value)
            p.emit(opcodes.PUSH_EXC_INFO)
            p.emit(opcodes.POP_TOP)
        elif value is EMPTY:
            p.emit(opcodes.PUSH_NULL)
        else:
            self._next(value)

    def _lasti(self, position: int) -> None:
        """A `lasti` can only be made by the interpreter itself: raise, and catch it in a handler that asks for one."""
        p = self.program
        self._next(Exception("stands for the exception of a handler that is being rebuilt"))
        p.emit(opcodes.RERAISE, 0, cover=(position, position, True))
        p.mark(position)
        p.emit(opcodes.POP_TOP)


def _assemble(protected: CodeType, protection: Protection, entrance: Entrance, writer: _Prologue) -> CodeType:
    """Put the prologue in front of the protected code; the recipe is covered by the barrier of its instruction."""
    p = writer.program
    raw = p.assemble()
    recipe_unit = p.starts[writer.recipe_at]
    used = p.starts[-1] + 4  # a jump with three prefixes at most
    shift = -(-used // registry.PROLOGUE) * registry.PROLOGUE
    jump_at = p.starts[-1]
    target = shift + protection.starts[entrance.position]
    raw += _jump_forward(target, jump_at)
    raw += bytes((opcodes.NOP, 0)) * (shift - len(raw) // 2)
    code = protection.original
    rows = p.exception_rows()
    handler = _handler_of_recipe(protection, entrance)
    if handler is not None:
        block, depth, lasti = handler
        rows.append((recipe_unit, jump_at, shift + protection.starts[block], depth, lasti))
    flags = protected.co_flags & ~(CO_VARARGS | CO_VARKEYWORDS | CO_ITERABLE_COROUTINE)
    if flags & CO_ASYNC_GENERATOR:  # what it yields is wrapped already: the crashed generator hands it on as it is
        flags = flags & ~CO_ASYNC_GENERATOR | CO_GENERATOR
    has_self = code.co_argcount > 0
    new = protected.replace(
        co_code=raw + protected.co_code,
        co_consts=(*protected.co_consts, writer.state.pop),
        co_exceptiontable=tables.build_exception_table(rows) + _shifted_table(protected, protection, shift),
        co_linetable=_line_table(protected, protection.positions[entrance.index], recipe_unit, jump_at, shift),
        co_flags=flags,
        co_argcount=int(has_self),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_stacksize=max(protected.co_stacksize, writer.deepest + len(writer.snapshot.kinds) + 4) + 4,
    )
    registry.register(
        new, replace(protection, base=protected, shift=shift, recipe=recipe_unit, resumed=entrance.index)
    )
    return new


def _handler_of_recipe(protection: Protection, entrance: Entrance) -> tuple[int, int, bool] | None:
    """Where exceptions of the recipe go: instruction of the protected code, depth, lasti."""
    context = protection.contexts.of[entrance.index]
    if entrance.raises is not None:
        row = protection.contexts.table[entrance.context].row
    elif entrance.index in protection.contexts.handled_first:
        row = protection.flow.cover[entrance.index]
    elif context >= 0 and len(protection.contexts.table[context].kinds) == entrance.depth:
        return protection.blocks[context], entrance.depth, True
    else:
        row = -1
    if row < 0:
        return None
    _start, _end, target, depth, lasti = protection.flow.instructions.rows[row]
    return protection.labels_of[target], depth, lasti


def _jump_forward(target: int, at: int) -> bytes:
    """A jump of always four code units, so that its length does not depend on its distance."""
    distance = target - (at + 4)
    out = bytearray()
    for shift in (24, 16, 8):
        out += bytes((opcodes.EXTENDED_ARG, distance >> shift & 255))
    return bytes(out) + bytes((opcodes.JUMP_FORWARD, distance & 255))


def _shifted_table(protected: CodeType, protection: Protection, shift: int) -> bytes:
    """The exception table behind a prologue of `shift` code units; made once."""
    known = protection.tables.get(shift)
    if known is None:
        rows = tables.parse_exception_table(protected.co_exceptiontable)
        known = tables.build_exception_table(tables.shift_exception_table(rows, shift))
        protection.tables[shift] = known
    return known


def _line_table(
    protected: CodeType, position: tables.Position, recipe_unit: int, jump_at: int, shift: int
) -> bytes:
    """The recipe stands where its instruction does; the rest of the prologue stands nowhere."""
    lineno = position[0]
    if lineno is None:
        return tables.no_location_entries(shift) + protected.co_linetable
    first = protected.co_firstlineno
    head = tables.no_location_entries(recipe_unit)
    recipe = tables.build_line_table([(jump_at - recipe_unit, position)], first)
    back = tables.build_line_table([(1, (first, first, None, None))], lineno)
    return head + recipe + back + tables.no_location_entries(shift - jump_at - 1) + protected.co_linetable


def _callable(
    code: CodeType, protection: Protection, snapshot: Snapshot, frame_globals: dict[str, Any]
) -> Callable[[], Any]:
    own_cells = len(protection.cell_numbers) - protection.free_count
    closure: Any = tuple(snapshot.cells[own_cells:]) or None
    if protection.original.co_flags & CO_OPTIMIZED:
        defaults = (None,) if code.co_argcount else None
        return FunctionType(code, frame_globals, code.co_name, defaults, closure)
    if code.co_name == "<module>":
        return partial(exec, code, frame_globals, snapshot.namespace, closure=closure)  # type: ignore[arg-type]
    return _class_body(code, frame_globals, snapshot, protection, closure)


def _class_body(
    code: CodeType, frame_globals: dict[str, Any], snapshot: Snapshot, protection: Protection, closure: Any
) -> Callable[[], Any]:
    """Runs the rest of a class body; its value is its `__class__` cell, which tells `type` what to fill in.

    All of C functions: a function of ours would have a frame on the program's stack and in its tracebacks.
    """
    original = protection.original
    cells = [name for name in original.co_cellvars if name in original.co_varnames]
    cells += [name for name in original.co_cellvars if name not in original.co_varnames]
    value = snapshot.cells[cells.index("__class__")] if "__class__" in cells else None
    runs = starmap(partial(exec, closure=closure), [(code, frame_globals, snapshot.namespace)])
    return partial(next, map({None: value}.__getitem__, runs))  # exec gives None


def build_return(protection: Protection, value: object) -> Callable[[], Any]:
    """A callable without arguments that returns `value`; for generators and coroutines one to delegate to."""
    if protection.original.co_flags & behavior.GENERATES:
        return partial(_returning, value)
    return partial(_same, value)


def _same(value: object) -> object:
    return value


def _returning(value: object) -> Generator[None, None, object]:
    yield from ()
    return value
