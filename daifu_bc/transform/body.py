"""The body of a protected code object: the original instructions, and between them what is kept.

In: the facts about a code object. Out: a `Program` with the body laid out, and where each instruction is in it.
Always true: the original instructions are there in their order; nothing is put between a yield and its RESUME, or
between END_FOR and the POP_TOP behind it.
"""

from __future__ import annotations

from daifu_bc.analysis import contexts, values
from daifu_bc.analysis.contexts import Contexts
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.keeps import Keeps
from daifu_bc.analysis.values import Stack, top_down
from daifu_bc.analysis.values import depth_of as stack_depth
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.transform.barriers import Labels
from daifu_bc.transform.program import STUB, Handler, Program
from daifu_bc.transform.slots import BUILTINS, ITER, NONE, Slots


def user_handler(ins: Instructions, row: int) -> Handler | None:
    """The program's own handler of an exception-table row; None for row -1."""
    if row < 0:
        return None
    _start, _end, target, depth, lasti = ins.rows[row]
    return (target, depth, lasti)


class Body:
    """Lays out the original instructions, with what is kept between them.

    Labels 0, 1, 2... are the original instructions, then come `blocks`, the labels of the barrier blocks.
    """

    def __init__(self, flow: Flow, keeps: Keeps, found: Contexts, checked: frozenset[int]) -> None:
        self.flow, self.keeps, self.contexts = flow, keeps, found
        self.checked = checked  # local slots whose loads ask whether they are bound
        self.ins = flow.instructions
        kinds = {kind for context in found.table for kind in context.kinds}
        staged = bool(kinds & {contexts.NULL, contexts.NULLABLE, contexts.EXIT_SELF})
        self.slots = Slots(self.ins.code, keeps.slots, staged)
        self.program = Program()
        count = len(self.ins.ops)
        self.labels = Labels(count + 1)
        self.blocks = [self.labels.new() for _ in found.table]
        self.handlers: list[Handler | None] = [
            (block, len(context.kinds), True) for block, context in zip(self.blocks, found.table, strict=True)
        ]
        self.dropped_by_clauses = self._dropped_by_clauses()
        self.has_async_loops = opcodes.END_ASYNC_FOR in self.ins.ops
        self.positions_of = [-1] * count  # instruction of the original -> that of the new code
        self.labels_of = [-1] * count  # the same, where jumps to it arrive
        self.after_of = [-1] * count  # the same, right behind it
        self.stubs: list[tuple[int, int, int]] = []  # label, target, the instruction that jumps

    def _dropped_by_clauses(self) -> dict[int, list[int]]:
        """First instruction of a clause's body -> hidden locals that may hold something when it is entered."""
        held: dict[int, set[int]] = {}
        for index in self.contexts.handled_first:
            held.setdefault(self.flow.cover[index], set()).update(self.keeps.held.get(index, ()))
        bodies = self.contexts.clause_bodies
        return {body: sorted(held[row]) for body, row in bodies.items() if held.get(row)}

    def lay_out(self) -> None:
        """Write all instructions of the original."""
        p, keeps = self.program, self.keeps
        ops, args, of, plain = self.ins.ops, self.ins.args, self.contexts.of, _PLAIN
        touched = (
            keeps.stores_after.keys() | keeps.stores_before.keys() | keeps.drops_after.keys()
            | keeps.drops_before.keys() | keeps.drops_jumping.keys() | self.dropped_by_clauses.keys()
        )  # fmt: skip
        early = behavior.handler_is_looked_up_early
        previous: Handler | None = None
        for index in range(len(ops)):
            cover = self.handlers[of[index]] if of[index] >= 0 else self._user_cover(index)
            if early and cover is not previous and cover != previous and ops[index] in _MAY_ENTER_PYTHON:
                p.emit(opcodes.NOP, 0, index, cover)
            p.labels[index] = len(p.ops)
            self.labels_of[index] = len(p.ops)
            if index in touched:
                self._instruction_with_keeps(index, cover)
            else:
                self.positions_of[index] = len(p.ops)
                if plain[ops[index]]:
                    p.emit(ops[index], args[index], index, cover)
                else:
                    self._instruction(index, cover)
                self.after_of[index] = len(p.ops)
            previous = cover

    def _user_cover(self, index: int) -> Handler | None:
        """Where exceptions of an instruction without a barrier go: to the program's own handler."""
        cover = user_handler(self.ins, self.flow.cover[index])
        if cover is not None and _depth_of(self.flow.before[index]) < cover[1]:
            return None  # it cannot raise any more, with the slots gone
        return cover

    def _instruction_with_keeps(self, index: int, cover: Handler | None) -> None:
        """An instruction with what is stored and dropped around it."""
        p, keeps = self.program, self.keeps
        for slot in self.dropped_by_clauses.get(index, ()):
            self._clear(slot, index, cover)  # the clause has taken the exception: nothing is retried any more
        for position, slot in keeps.stores_before.get(index, ()):
            p.emit(opcodes.COPY, position, index, cover)
            p.emit(opcodes.STORE_FAST, self.slots.of_kept(slot), index, cover)
        for slot in keeps.drops_before.get(index, ()):
            self._drop(slot, index, cover)
        self.positions_of[index] = len(p.ops)
        self._instruction(index, cover)
        self.after_of[index] = len(p.ops)
        for position, slot in keeps.stores_after.get(index, ()):
            p.emit(opcodes.COPY, position, index, cover)
            p.emit(opcodes.STORE_FAST, self.slots.of_kept(slot), index, cover)
        for slot in keeps.drops_after.get(index, ()):
            self._drop(slot, index, cover)

    def lay_out_stubs(self) -> None:
        """Write what is dropped where an instruction jumps."""
        p = self.program
        for label, target, index in self.stubs:
            p.mark(label)
            for slot in self.keeps.drops_jumping[index]:
                self._drop(slot, index, None, STUB - index)
            p.jump(opcodes.JUMP_BACKWARD_NO_INTERRUPT, target, STUB - index)

    def _drop(self, slot: int, index: int, cover: Handler | None, origin: int | None = None) -> None:
        """Empty a hidden local that is done with at instruction `index`."""
        origin = index if origin is None else origin
        if self._may_be_empty(index):
            self._clear(slot, origin, cover)  # what was thrown in, or a barrier, may have dropped it already
        else:
            self.program.emit(opcodes.DELETE_FAST, self.slots.of_kept(slot), origin, cover)

    def _may_be_empty(self, index: int) -> bool:
        """Handlers, awaits and async loops (left by an exception) may come here with a hidden local emptied before."""
        if self.has_async_loops or index in self.keeps.operands:  # operands: a `with` exit whose self may be NULL
            return True
        return self.ins.ops[index] == opcodes.END_SEND or _in_handler(self.flow.before[index])

    def _clear(self, slot: int, origin: int, cover: Handler | None) -> None:
        """Empty a hidden local that may be empty already."""
        self.program.emit(opcodes.LOAD_CONST, self.slots.constant(NONE), origin, cover)
        self.program.emit(opcodes.STORE_FAST, self.slots.of_kept(slot), origin, cover)
        self.program.emit(opcodes.DELETE_FAST, self.slots.of_kept(slot), origin, cover)

    def _instruction(self, index: int, cover: Handler | None) -> None:
        """An instruction as it is in the new code: jumps go to labels, local slots have their new numbers."""
        p = self.program
        op, arg, target = self.ins.ops[index], self.ins.args[index], self.ins.targets[index]
        if target >= 0:
            if index in self.keeps.drops_jumping:
                label = self.labels.new()
                self.stubs.append((label, target, index))
                p.jump(op, label, index, cover)
            else:
                p.jump(op, target, index, cover)
            return
        if index in self.keeps.owning and op in opcodes.BORROWING_LOADS:
            op = opcodes.LOAD_FAST if op == opcodes.LOAD_FAST_BORROW else opcodes.LOAD_FAST_LOAD_FAST
        if op in opcodes.SLOT_ARGUMENTS:
            if op in opcodes.UNCHECKED_LOADS and arg in self.checked:
                op = opcodes.LOAD_FAST_CHECK
            arg = self.slots.new(arg)
        elif op in opcodes.PAIRS:
            self._pair(op, arg, index, cover)
            return
        elif behavior.iteration_is_virtual and op == opcodes.GET_ITER and arg == 0:
            self._real_iterator(index, cover)
            return
        if self.ins.plain_methods and op in _METHOD_LOADS and arg & 1:
            self._plain_method(op, arg, index, cover)
            return
        p.emit(op, arg, index, cover)

    def _plain_method(self, op: int, arg: int, index: int, cover: Handler | None) -> None:
        """A bound method and a NULL, in the order of this Python, instead of a function and its self."""
        self.program.emit(op, arg & ~1, index, cover)
        self.program.emit(opcodes.PUSH_NULL, 0, index, cover)
        if not behavior.null_follows_callable:
            self.program.emit(opcodes.SWAP, 2, index, cover)

    def _pair(self, op: int, arg: int, index: int, cover: Handler | None) -> None:
        """Two slots in one argument, or two instructions where they do not fit or are checked."""
        first, second = self.slots.new(arg >> 4), self.slots.new(arg & 15)
        if first < 16 and second < 16 and not self.checked & {arg >> 4, arg & 15}:
            self.program.emit(op, first << 4 | second, index, cover)
            return
        store, load = opcodes.STORE_FAST, opcodes.LOAD_FAST
        ops = {opcodes.STORE_FAST_STORE_FAST: (store, store), opcodes.STORE_FAST_LOAD_FAST: (store, load)}
        one, two = ops.get(op, (load, load))
        if one == load and arg >> 4 in self.checked:
            one = opcodes.LOAD_FAST_CHECK
        if two == load and arg & 15 in self.checked:
            two = opcodes.LOAD_FAST_CHECK
        self.program.emit(one, first, index, cover)
        self.program.emit(two, second, index, cover)

    def _real_iterator(self, index: int, cover: Handler | None) -> None:
        """[iterable] -> [iter(iterable), NULL]: a virtual iterator's index could not be handed over.

        A builtin function as a constant would not marshal, and a global `iter` may be the program's own: it is read
        off the module that a builtin among the interpreter's constants belongs to.
        """
        p = self.program
        p.emit(opcodes.LOAD_COMMON_CONSTANT, opcodes.COMMON_BUILTIN, index, cover)
        p.emit(opcodes.LOAD_ATTR, self.slots.name(BUILTINS) << 1, index, cover)
        p.emit(opcodes.LOAD_ATTR, self.slots.name(ITER) << 1, index, cover)
        p.emit(opcodes.SWAP, 2, index, cover)
        p.emit(opcodes.PUSH_NULL, 0, index, cover)
        p.emit(opcodes.SWAP, 2, index, cover)
        p.emit(opcodes.CALL, 1, index, cover)
        p.emit(opcodes.PUSH_NULL, 0, index, cover)


def _depth_of(state: Stack | object) -> int:
    """Depth of a stack; of an unreached instruction's too."""
    return 1 << 30 if state is UNREACHED else stack_depth(state)  # type: ignore[arg-type]


def _in_handler(state: Stack | object) -> bool:
    """Is an exception being handled there?"""
    return any(value.kind in _HANDLING for value in top_down(state))  # type: ignore[arg-type]


_HANDLING = frozenset({values.LASTI, values.PREVIOUS, values.HANDLED})
_MAY_ENTER_PYTHON = frozenset(
    op
    for op in (
        opcodes.CALL, opcodes.CALL_KW, opcodes.CALL_FUNCTION_EX, opcodes.FOR_ITER, opcodes.SEND, opcodes.LOAD_ATTR,
        opcodes.BINARY_OP, opcodes.BINARY_SUBSCR, opcodes.COMPARE_OP, opcodes.TO_BOOL, opcodes.STORE_SUBSCR,
        opcodes.STORE_ATTR, opcodes.CONTAINS_OP, opcodes.GET_ITER, opcodes.UNPACK_SEQUENCE,
    )
    if op >= 0
)  # fmt: skip
_CHANGED = (
    opcodes.JUMPS | opcodes.REFERS_BACK | opcodes.SLOT_ARGUMENTS | opcodes.PAIRS | opcodes.BORROWING_LOADS
    | {opcodes.GET_ITER, opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR}
)  # fmt: skip
_PLAIN = [op not in _CHANGED for op in range(256)]  # written as they are
_METHOD_LOADS = frozenset((opcodes.LOAD_ATTR, opcodes.LOAD_SUPER_ATTR))
