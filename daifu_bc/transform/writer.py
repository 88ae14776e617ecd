"""A protected code object, put together: body, cold code, tables, record.

In: the facts about a code object. Out: a verified code object, its record in the registry.
Always true: what does not verify is not returned.
"""

from __future__ import annotations

from types import CodeType

from daifu_bc.analysis import contexts
from daifu_bc.analysis.contexts import wrapper_target
from daifu_bc.interpreter import behavior, opcodes, tables
from daifu_bc.transform import registry, second_opinion
from daifu_bc.transform.barriers import BarrierWriter, Extras
from daifu_bc.transform.body import Body
from daifu_bc.transform.registry import Protection
from daifu_bc.transform.verify import verify

_CO_OPTIMIZED = 1
_GENERATORS = 0x20 | 0x80 | 0x200  # generator, coroutine, async generator
_RUNTIME_NAMES = ("daifu_bc", "_barrier", "_resume", "_after")


class Writer(Body):
    """Writes the protected twin of one code object."""

    def write(self, nested: tuple[object, ...]) -> CodeType:
        """The protected code object. `nested`: its constants, with code objects among them protected."""
        self._body()
        self._cold()
        return self._build(nested)

    # Cold code.

    def _cold(self) -> None:
        p = self.program
        for label, target, drops in self.stubs:
            p.mark(label)
            for slot in drops:
                p.emit(opcodes.DELETE_FAST, self._hidden(slot))
            p.jump(opcodes.JUMP_BACKWARD_NO_INTERRUPT, target)
        if not self.contexts.table:
            return
        writer = BarrierWriter(p, self._extras(), self.labels)
        writer.finish()
        for number, (label, context) in enumerate(zip(self.blocks, self.contexts.table, strict=True)):
            user = self._user(context.row)
            clears = user is None or self.ins.ops[user[0]] != opcodes.END_ASYNC_FOR
            writer.block(number, label, context, user, clears)

    def _extras(self) -> Extras:
        code, hidden = self.code, self.slots.hidden
        first_hidden = code.co_nlocals
        wrapper = wrapper_target(self.flow)
        wrapper_row = next((n for n, row in enumerate(self.ins.rows) if row[2] == wrapper), -1)
        self.by_value = [i for i, name in enumerate(code.co_varnames) if name not in code.co_cellvars]
        self.by_value += range(first_hidden, first_hidden + self.keeps.slots)
        self.cells = [i for i, name in enumerate(code.co_varnames) if name in code.co_cellvars]
        extra_cells = sum(name not in code.co_varnames for name in code.co_cellvars)
        start = first_hidden + hidden
        self.cells += range(start, start + extra_cells + len(code.co_freevars))
        names = len(code.co_names)
        return Extras(
            zero=len(code.co_consts),
            none=len(code.co_consts) + 1,
            numbers=len(code.co_consts) + 3,
            package=names,
            barrier=names + 1,
            resume=names + 2,
            after=names + 3,
            slots=self.by_value,
            cells=self.cells,
            hidden=list(range(first_hidden, first_hidden + self.keeps.slots)),
            staging=first_hidden + hidden - 1 if self.staged else -1,
            generator=bool(code.co_flags & _GENERATORS),
            namespace=not code.co_flags & _CO_OPTIMIZED,
            wrapper=self._user(wrapper_row) if wrapper_row >= 0 and code.co_flags & _GENERATORS else None,
        )

    def _build(self, nested: tuple[object, ...]) -> CodeType:
        code = self.code
        if not self.contexts.table:  # nothing in it can raise
            return code if nested == code.co_consts else code.replace(co_consts=nested)
        raw = self.program.assemble()
        hidden = tuple(f".kept{number}" for number in range(self.keeps.slots))
        names = _renamed(code)
        shown = max(sum(kind in contexts.SHOWN for kind in context.kinds) for context in self.contexts.table)
        positions = self.positions = self._positions()
        made = iter if behavior.iteration_is_virtual else None
        consts: tuple[object, ...] = (*nested, 0, None, made, *range(len(self.contexts.table)))
        new = code.replace(
            co_code=raw,
            co_consts=consts,
            co_names=(*code.co_names, *_RUNTIME_NAMES),
            co_varnames=(*names, *hidden, *((".null",) if self.staged else ())),
            co_nlocals=code.co_nlocals + self.slots.hidden,
            co_stacksize=code.co_stacksize + 12 + shown,
            co_exceptiontable=tables.build_exception_table(self.program.exception_rows()),
            co_linetable=self.program.line_table(positions, code.co_firstlineno),
        )
        verify(new, self.program, self.blocks, self.contexts)
        if second_opinion.is_asked_for():
            second_opinion.check(new)
        registry.register(new, self._protection((*names, *hidden), hidden))
        return new

    def _protection(self, names: tuple[str, ...], hidden: tuple[str, ...]) -> Protection:
        return Protection(
            original=self.code,
            settings=self.settings,
            flow=self.flow,
            keeps=self.keeps,
            contexts=self.contexts,
            starts=self.program.starts,
            origins=self.program.origins,
            positions=self.positions,
            positions_of=self.positions_of,
            labels_of=self.labels_of,
            after_of=self.after_of,
            blocks=[self.program.labels[block] for block in self.blocks],
            hidden=hidden,
            hidden_slots=self.slots.hidden,
            slots=tuple(names[number] for number in self.by_value),
            slot_numbers=tuple(self.by_value),
            cell_numbers=tuple(self.cells),
            free_count=len(self.code.co_freevars),
        )

    def _positions(self) -> list[tables.Position]:
        by_unit = list(self.code.co_positions())
        ins = self.ins
        return [by_unit[ins.offset_of(index) // 2] for index in range(len(ins.ops))]


def _renamed(code: CodeType) -> tuple[str, ...]:
    """Local names; hidden locals of comprehensions in modules and classes get names that no program uses."""
    if code.co_flags & _CO_OPTIMIZED or not behavior.f_locals_drops_hidden_names:
        return code.co_varnames
    return tuple(f"({name})" for name in code.co_varnames)
