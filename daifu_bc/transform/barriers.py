"""Barrier blocks: the cold code behind a function's end that its exception table leads to.

What we want: at a failure, ask the runtime whether it is a crash to recover. If not, the exception goes on to the
user's own handler as if nothing had been there. If so, hand over value stack, locals and cells, and call the
unfinished procedure from here.
What does not work: storing `lasti` (tagged on 3.14+), COPY or BUILD_TUPLE of a slot that is NULL, reading cell
objects through f_locals. What we do: slots are taken from the top, one kind of code for each kind of slot; a slot
that may be NULL goes through a local (STORE_FAST of NULL unbinds), and LOAD_FAST_CHECK tells.

Stack on entry: [cells' slots..., lasti, exception]. In the tail: [list of what was handed over].
Always true: whatever raises in the first half is dropped and the user's own exception goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from daifu_bc.analysis import contexts
from daifu_bc.analysis.contexts import Context
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import ITER_SLOTS
from daifu_bc.transform.program import COLD_WITH_LINE, Handler, Program


@dataclass(frozen=True, slots=True)
class Extras:
    """Where the protected code finds what it has beyond the original."""

    zero: int  # constants
    none: int
    numbers: int  # the first of the constants 0, 1, 2...: numbers of contexts
    package: int  # names
    barrier: int
    resume: int
    after: int
    slots: list[int]  # local slots that are handed over by value (hidden ones included)
    cells: list[int]  # local slots that hold cells (cell variables, then free variables)
    hidden: list[int]  # hidden locals
    staging: int  # a hidden local for slots that may be NULL, or -1
    generator: bool
    namespace: bool  # class body or module code: hand over its namespace
    wrapper: Handler | None  # the compiler's handler around a generator's body


class Labels:
    """Fresh labels behind those of the instructions."""

    def __init__(self, first: int) -> None:
        self.next = first

    def new(self) -> int:
        self.next += 1
        return self.next - 1


class BarrierWriter:
    """Writes the cold code of one function."""

    def __init__(self, program: Program, extras: Extras, labels: Labels) -> None:
        self.program = program
        self.extras = extras
        self.labels = labels
        self.tail = labels.new()

    def block(self, number: int, label: int, context: Context, user: Handler | None, clears: bool) -> None:
        """The barrier block of one context; `user` takes over when the exception is not ours."""
        p, x = self.program, self.extras
        depth = len(context.kinds)
        failed, ours = self.labels.new(), self.labels.new()
        guard: Handler = (failed, depth + 2, False)
        p.mark(label)
        self._callable(x.barrier, guard)
        p.emit(opcodes.COPY, 3, cover=guard)
        p.emit(opcodes.LOAD_CONST, x.numbers + number, cover=guard)
        shown = [slot for slot, kind in enumerate(context.kinds) if kind in contexts.SHOWN]
        for passed, slot in enumerate(shown):
            p.emit(opcodes.COPY, depth + 2 + 4 + passed - slot, cover=guard)
            if context.kinds[slot] == contexts.EXIT_SELF:
                self._checked(depth + 2 + 4 + passed)
        if x.namespace:
            p.emit(opcodes.LOAD_LOCALS, cover=guard)
        p.emit(opcodes.CALL, 2 + len(shown) + x.namespace, cover=guard)
        p.emit(opcodes.COPY, 1)
        p.jump(opcodes.POP_JUMP_IF_NOT_NONE, ours)
        self._not_taken()
        if clears:
            for slot in x.hidden:
                p.emit(opcodes.LOAD_CONST, x.none)
                p.emit(opcodes.STORE_FAST, slot)
                p.emit(opcodes.DELETE_FAST, slot)
        p.mark(failed)  # on top: None, or what was raised instead
        p.emit(opcodes.POP_TOP)
        p.emit(opcodes.RERAISE, 1, cover=user)
        p.mark(ours)
        self._hand_over(context.kinds)
        p.jump(opcodes.JUMP_BACKWARD_NO_INTERRUPT, self.tail)

    def _checked(self, depth: int) -> None:
        """[.., x] -> [.., x], or the UnboundLocalError where x is NULL. `depth`: slots below it."""
        p, staging = self.program, self.extras.staging
        checked = self.labels.new()
        p.emit(opcodes.STORE_FAST, staging)
        p.emit(opcodes.LOAD_FAST_CHECK, staging, cover=(checked, depth, False))
        p.mark(checked)
        p.emit(opcodes.LOAD_CONST, self.extras.none)
        p.emit(opcodes.STORE_FAST, staging)

    def _callable(self, name: int, cover: Handler | None) -> None:
        """[callable, NULL] in the order of this Python: an attribute of the package daifu_bc."""
        p, x = self.program, self.extras
        if not behavior.null_follows_callable:
            p.emit(opcodes.PUSH_NULL, cover=cover)
        p.emit(opcodes.LOAD_CONST, x.zero, cover=cover)
        p.emit(opcodes.LOAD_CONST, x.none, cover=cover)
        p.emit(opcodes.IMPORT_NAME, x.package << 2 | 2 if behavior.imports_may_be_lazy else x.package, cover=cover)
        p.emit(opcodes.LOAD_ATTR, name << 1, cover=cover)
        if behavior.null_follows_callable:
            p.emit(opcodes.PUSH_NULL, cover=cover)

    def _not_taken(self) -> None:
        if opcodes.NOT_TAKEN >= 0:
            self.program.emit(opcodes.NOT_TAKEN)

    def _hand_over(self, kinds: str) -> None:
        """[slots..., lasti, exception, list] -> [list with the slots, highest first]."""
        p = self.program
        p.emit(opcodes.SWAP, 3)
        p.emit(opcodes.POP_TOP)  # lasti
        p.emit(opcodes.POP_TOP)  # the exception
        for position in range(len(kinds) - 1, -1, -1):
            self._take_slot(kinds[position], position)

    def _append_checked(self, slot: int, depth: int) -> None:
        """Append (value,), or the UnboundLocalError where the local slot is empty. `depth` includes the list."""
        p = self.program
        unbound = self.labels.new()
        p.emit(opcodes.LOAD_FAST_CHECK, slot, cover=(unbound, depth, False))
        p.emit(opcodes.BUILD_TUPLE, 1)
        p.mark(unbound)  # [.., list, exception]: the exception stands for "unbound"
        p.emit(opcodes.LIST_APPEND, 1)

    def _take_slot(self, kind: str, position: int) -> None:
        p, x = self.program, self.extras
        p.emit(opcodes.SWAP, 2)
        if kind in (contexts.VALUE, contexts.ITERATOR, contexts.EXIT):
            p.emit(opcodes.LIST_APPEND, 1)
        elif kind == contexts.LASTI:
            p.emit(opcodes.POP_TOP)
        elif kind == contexts.PREVIOUS:
            p.emit(opcodes.COPY, 1)
            p.emit(opcodes.LIST_APPEND, 2)
            p.emit(opcodes.POP_EXCEPT)
        elif kind == contexts.NULL:
            p.emit(opcodes.STORE_FAST, x.staging)
        else:
            p.emit(opcodes.STORE_FAST, x.staging)
            self._append_checked(x.staging, position + 1)

    def finish(self) -> None:
        """The tail: [list] -> the unfinished procedure, called from here until it returns or raises for good.

        Locals and cells are appended to the list first, and the frame's own references to them dropped.
        """
        p, x = self.program, self.extras
        again, raised = self.labels.new(), self.labels.new()
        base = x.wrapper[1] if x.wrapper is not None else 0
        cover: Handler = (raised, base, False)
        p.mark(self.tail)
        for _ in range(base):  # slots that the compiler's own handler wants to find
            p.emit(opcodes.LOAD_CONST, x.none)
            p.emit(opcodes.SWAP, 2)
        for slot in x.slots:
            self._append_checked(slot, base + 1)
            p.emit(opcodes.LOAD_CONST, x.none)
            p.emit(opcodes.STORE_FAST, slot)
        for slot in x.cells:  # empty, or no cell, while an inlined comprehension has a variable of the same name
            self._append_checked(slot, base + 1)
        if x.namespace:
            p.emit(opcodes.LOAD_LOCALS)
            p.emit(opcodes.LIST_APPEND, 1)
        self._call_with_top(x.resume)  # not covered: what it raises leaves this frame
        p.mark(again)
        self._call_unfinished(cover)
        p.emit(opcodes.RETURN_VALUE)
        p.mark(raised)  # [exception]
        self._callable(x.after, x.wrapper)
        p.emit(opcodes.COPY, 3, cover=x.wrapper)
        p.emit(opcodes.CALL, 1, cover=x.wrapper)
        p.emit(opcodes.COPY, 1)
        goes_on = self.labels.new()
        p.jump(opcodes.POP_JUMP_IF_NOT_NONE, goes_on)
        self._not_taken()
        p.emit(opcodes.POP_TOP)
        p.emit(opcodes.RERAISE, 0, cover=x.wrapper)
        p.mark(goes_on)  # [exception, next unfinished procedure]
        p.emit(opcodes.SWAP, 2)
        p.emit(opcodes.POP_TOP)
        p.jump(opcodes.JUMP_BACKWARD_NO_INTERRUPT, again)

    def _call_with_top(self, name: int) -> None:
        """[x] -> [daifu_bc.name(x)]."""
        p = self.program
        self._callable(name, None)
        p.emit(opcodes.COPY, 3)
        p.emit(opcodes.CALL, 1)
        p.emit(opcodes.SWAP, 2)
        p.emit(opcodes.POP_TOP)

    def _call_unfinished(self, cover: Handler) -> None:
        """[procedure] -> [its result]; a generator or coroutine is delegated to."""
        p, x = self.program, self.extras
        p.emit(opcodes.PUSH_NULL, cover=cover)
        if not behavior.null_follows_callable:
            p.emit(opcodes.SWAP, 2, cover=cover)
        p.emit(opcodes.CALL, 0, COLD_WITH_LINE, cover)
        if not x.generator:
            return
        sending, over, thrown = self.labels.new(), self.labels.new(), self.labels.new()
        if ITER_SLOTS == 2:
            p.emit(opcodes.PUSH_NULL, cover=cover)
        p.emit(opcodes.LOAD_CONST, x.none, cover=cover)
        p.mark(sending)
        p.jump(opcodes.SEND, over, COLD_WITH_LINE, cover)
        depth = cover[1] + ITER_SLOTS + 1
        p.emit(opcodes.YIELD_VALUE, 1 if behavior.null_follows_callable else 7, COLD_WITH_LINE, (thrown, depth, False))
        p.emit(opcodes.RESUME, 2, cover=cover)
        p.jump(opcodes.JUMP_BACKWARD_NO_INTERRUPT, sending)
        p.mark(thrown)
        p.emit(opcodes.CLEANUP_THROW, cover=cover)
        p.mark(over)
        p.emit(opcodes.END_SEND)
