"""A protected code object, put together: body, cold code, tables, record.

In: the facts about a code object. Out: a verified code object, its record in the registry.
Always true: what does not verify is not returned.
"""

from __future__ import annotations

from inspect import CO_OPTIMIZED
from itertools import compress
from types import CodeType

from daifu_bc.analysis import contexts
from daifu_bc.analysis.contexts import Contexts, wrapper_target
from daifu_bc.analysis.flow import Flow
from daifu_bc.analysis.keeps import Keeps
from daifu_bc.interpreter import behavior, opcodes, tables
from daifu_bc.transform import registry, second_opinion
from daifu_bc.transform.barriers import BarrierWriter, Extras
from daifu_bc.transform.body import Body, user_handler
from daifu_bc.transform.registry import Protection, Settings
from daifu_bc.transform.slots import NONE, NUMBERS, ZERO
from daifu_bc.transform.verify import verify

# Code unit -> is it an instruction itself, and no cache and no prefix?
_BEGINS = bytes(op not in (opcodes.CACHE, opcodes.EXTENDED_ARG) for op in range(256))
_LONG_TABLE = 100  # rows
_RUNTIME_NAMES = ("daifu_bc", "_barrier", "_resume", "_after", "__self__", "iter")
_MUST_BE_SAME = ("co_code", "co_exceptiontable", "co_nlocals", "co_names", "co_cellvars", "co_freevars")


class Writer:
    """Writes the protected twin of one code object."""

    def __init__(
        self, flow: Flow, keeps: Keeps, found: Contexts, settings: Settings, checked: frozenset[int] = frozenset()
    ) -> None:
        self.flow, self.keeps, self.contexts, self.settings = flow, keeps, found, settings
        self.ins = flow.instructions
        self.code = flow.instructions.code
        self.body = Body(flow, keeps, found, checked)
        self.slots, self.program = self.body.slots, self.body.program

    def write(self, nested: tuple[object, ...]) -> CodeType:
        """The protected code object. `nested`: its constants, with code objects among them protected."""
        if not self.contexts.table:  # nothing in it can raise
            return self.code if nested == self.code.co_consts else self.code.replace(co_consts=nested)
        new = self._made(nested)
        verify(new, self.program, self.body.blocks, self.contexts)
        if second_opinion.is_asked_for() and second_opinion.can_read(self.code):
            second_opinion.check(new)
        if self.body.checked:  # what is checked is not written in the code: its record could not be made again
            registry.register(new, self._protection())
        else:
            registry.register_made(new, self._protection())
        return new

    def describe(self, code: CodeType) -> Protection | None:
        """The record of `code`, made earlier or elsewhere; None if it is not what would be made here."""
        if not self.contexts.table:
            return None
        count = len(self.code.co_consts)
        new = self._made(code.co_consts[:count]).replace(co_flags=code.co_flags)
        same = all(getattr(new, name) == getattr(code, name) for name in _MUST_BE_SAME)
        return self._protection() if same and new.co_consts[count:] == code.co_consts[count:] else None

    def _made(self, nested: tuple[object, ...]) -> CodeType:
        self.body.lay_out()
        self.body.lay_out_stubs()
        self._barriers()
        return self._assemble(nested)

    def _barriers(self) -> None:
        writer = BarrierWriter(self.program, self._extras(), self.body.labels)
        writer.finish()
        for number, (label, context) in enumerate(zip(self.body.blocks, self.contexts.table, strict=True)):
            user = user_handler(self.ins, context.row)
            clears = user is None or self.ins.ops[user[0]] != opcodes.END_ASYNC_FOR
            writer.block(number, label, context, user, clears)

    def _extras(self) -> Extras:
        code, slots = self.code, self.slots
        generator = bool(code.co_flags & behavior.GENERATES)
        wrapper = wrapper_target(self.flow)
        wrapper_row = next((number for number, row in enumerate(self.ins.rows) if row[2] == wrapper), -1)
        names = len(code.co_names)
        return Extras(
            zero=slots.constant(ZERO),
            none=slots.constant(NONE),
            numbers=slots.constant(NUMBERS),
            package=names,
            barrier=names + 1,
            resume=names + 2,
            after=names + 3,
            slots=slots.by_value,
            cells=slots.cells,
            hidden=slots.all_kept,
            staging=slots.staging,
            generator=generator,
            namespace=not code.co_flags & CO_OPTIMIZED,
            wrapper=user_handler(self.ins, wrapper_row) if generator else None,
        )

    def _assemble(self, nested: tuple[object, ...]) -> CodeType:
        code, table = self.code, self.contexts.table
        raw = self.program.assemble()
        staging = (".null",) if self.slots.staged else ()
        shown = max(sum(kind in contexts.SHOWN for kind in context.kinds) for context in table)
        self.positions = self._positions()
        self.rows = self.program.exception_rows()
        return code.replace(
            co_code=raw,
            co_consts=(*nested, 0, None, *range(len(table)), *registry.constants(code, self.settings)),
            co_names=(*code.co_names, *_RUNTIME_NAMES[: None if behavior.iteration_is_virtual else 4]),
            co_varnames=(*_renamed(code), *self._kept_names(), *staging),
            co_nlocals=code.co_nlocals + self.slots.hidden,
            co_stacksize=code.co_stacksize + 12 + shown,
            co_exceptiontable=tables.build_exception_table(self.rows),
            co_linetable=self.program.line_table(self.positions, code.co_firstlineno),
        )

    def _kept_names(self) -> tuple[str, ...]:
        """Names of the hidden locals for kept results."""
        return tuple(f".kept{number}" for number in range(self.slots.kept))

    def _protection(self) -> Protection:
        body, slots, program = self.body, self.slots, self.program
        return Protection(
            original=self.code,
            settings=self.settings,
            flow=self.flow,
            keeps=self.keeps,
            contexts=self.contexts,
            starts=program.starts,
            origins=program.origins,
            positions=self.positions,
            positions_of=body.positions_of,
            labels_of=body.labels_of,
            after_of=body.after_of,
            blocks=[program.labels[block] for block in body.blocks],
            hidden=self._kept_names(),
            hidden_slots=slots.hidden,
            slot_numbers=tuple(slots.by_value),
            cell_numbers=tuple(slots.cells),
            free_count=len(self.code.co_freevars),
            tables=self._prepared_tables(),
        )

    def _prepared_tables(self) -> dict[int, bytes]:
        """The exception table behind the usual prologue, where making it at the crash would take long."""
        if len(self.rows) < _LONG_TABLE:
            return {}
        shifted = tables.shift_exception_table(self.rows, registry.PROLOGUE)
        return {registry.PROLOGUE: tables.build_exception_table(shifted)}

    def _positions(self) -> list[tables.Position]:
        """Of the original's instructions, in its source."""
        begins = self.code.co_code[::2].translate(_BEGINS)
        return list(compress(self.code.co_positions(), begins))


def _renamed(code: CodeType) -> tuple[str, ...]:
    """Local names; hidden locals of comprehensions in modules and classes get names that no program uses."""
    if code.co_flags & CO_OPTIMIZED or not behavior.f_locals_drops_hidden_names:
        return code.co_varnames
    # One that a lambda captures is a cell too: both names must be the same, or the code would get one slot more.
    cells = code.co_cellvars
    return tuple(name if name in cells else f"({name})" for name in code.co_varnames)
