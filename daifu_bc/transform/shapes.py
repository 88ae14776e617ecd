"""Abstract interpretation of generated code: what kind of thing each slot of the value stack holds.

In: `Instructions` of generated code. Out: the stack before each instruction, a string with one letter per slot,
lowest first (those of analysis.contexts: value, NULL, perhaps NULL, lasti, previous exception); None: not reached.
Always true: the string holds for every path to the instruction, backward jumps and handlers included; all bring the
same depth, a lasti meets nothing but a lasti, no path runs off the end, and no handler is deeper than an instruction
that it covers; else InternalError.

What we want: the check of what we install, at a fraction of the price of the analysis. What we do: the moves are
those of analysis.effects, run once for each instruction and stack that ever met, and looked up from then on.
"""

from __future__ import annotations

from typing import NoReturn

from daifu_bc.analysis import values
from daifu_bc.analysis.contexts import (
    EXIT,
    EXIT_SELF,
    ITERATOR,
    LASTI,
    NULL,
    NULLABLE,
    PREVIOUS,
    VALUE,
    kinds_of,
)
from daifu_bc.analysis.effects import EFFECTS_OF
from daifu_bc.analysis.instructions import Instructions
from daifu_bc.analysis.values import ALWAYS, MAYBE, Stack, Value, push
from daifu_bc.errors import CannotProtect, InternalError
from daifu_bc.interpreter import opcodes

Moved = tuple[str, str]  # the stack behind an instruction on the straight path, and where it jumps

AS_SLOTS = str.maketrans({ITERATOR: VALUE, EXIT: VALUE, EXIT_SELF: NULLABLE})  # what they hold, whatever it is for
_REMEMBERED = 20_000  # moves
_known: dict[tuple[int, int, str], Moved] = {}


def shapes_of(ins: Instructions) -> list[str | None]:
    """The stack before each instruction."""
    return _Interpreter(ins).run()


class _Interpreter:
    def __init__(self, ins: Instructions) -> None:
        self.ins = ins
        self.before: list[str | None] = [None] * len(ins.ops)
        self.waiting: dict[int, str] = {0: ""}
        self.entered: set[tuple[int, str]] = set()
        self.cover = [-1] * len(ins.ops)
        for number, (start, end, _target, _depth, _lasti) in enumerate(ins.rows):
            self.cover[start:end] = [number] * (end - start)

    def run(self) -> list[str | None]:
        while self.waiting:
            self._round()
        return self.before

    def _round(self) -> None:
        """From the first instruction that is waited for to the last one."""
        ins, before, waiting, cover = self.ins, self.before, self.waiting, self.cover
        ops, args, targets = ins.ops, ins.args, ins.targets
        known, counts, ends = _known, _ARGUMENT_COUNTS, _ENDS
        state: str | None = None
        row, entered = -1, ""  # the handler that was entered last, and with what
        for index in range(min(waiting), len(ops)):
            if index in waiting:
                arrived = waiting.pop(index)
                state = arrived if state is None else join(state, arrived, index)
            if state is None:
                continue
            earlier = before[index]
            if earlier is not None:  # an earlier round was here and went on
                state = join(earlier, state, index)
                if state == earlier:
                    state = None
                    continue
            before[index] = state
            if cover[index] >= 0 and (cover[index] != row or not state.startswith(entered)):
                row = cover[index]
                entered = self._enter_handler(row, state, index)
            op = ops[index]
            key = (op, args[index] if counts[op] else 0, state)
            state, jumped = known.get(key) or _move(key, ins)
            if targets[index] >= 0 and op not in opcodes.REFERS_BACK:
                self._arrive(targets[index], jumped)
            if ends[op]:
                state = None
        if state is not None:
            _refuse("a path runs off the end")

    def _enter_handler(self, row: int, state: str, index: int) -> str:
        _start, _end, target, depth, lasti = self.ins.rows[row]
        if len(state) < depth:
            _refuse(f"handler deeper than instruction {index}")
        entered = state[:depth]
        if (row, entered) not in self.entered:
            self.entered.add((row, entered))
            self._arrive(target, entered + LASTI + VALUE if lasti else entered + VALUE)
        return entered

    def _arrive(self, target: int, state: str) -> None:
        waiting = self.waiting.get(target)
        if waiting is not None:
            state = join(waiting, state, target)
        earlier = self.before[target]
        if earlier is None or join(earlier, state, target) != earlier:
            self.waiting[target] = state


def join(one: str, other: str, index: int) -> str:
    """What two paths bring to instruction `index`."""
    if one == other:
        return one
    if len(one) != len(other):
        _refuse(f"two paths reach instruction {index} with different value stacks")
    return "".join(a if a == b else _either(a, b, index) for a, b in zip(one, other, strict=True))


def _either(one: str, other: str, index: int) -> str:
    if LASTI in (one, other):
        _refuse(f"two paths reach instruction {index} with different kinds of slots")
    return VALUE if {one, other} == _OBJECTS else NULLABLE


def _move(key: tuple[int, int, str], ins: Instructions) -> Moved:
    """What an instruction makes of a stack."""
    op, arg, state = key
    stack: Stack = None
    for letter in state:
        kind, null = _HOLDS[letter]
        stack = push(stack, Value(0, kind, null=null))
    try:
        _before, after, jumped = EFFECTS_OF[op](op, arg, 0, stack, ins)
    except CannotProtect as error:
        raise InternalError(f"generated code does not verify: {error}") from error
    moved = kinds_of(after).translate(AS_SLOTS), kinds_of(jumped).translate(AS_SLOTS)
    if len(_known) >= _REMEMBERED:
        _known.clear()
    _known[key] = moved
    return moved


def _refuse(what: str) -> NoReturn:
    raise InternalError(f"generated code does not verify: {what}")


_OBJECTS = {VALUE, PREVIOUS}
_HOLDS = {
    VALUE: (values.ITERATOR, values.NEVER),  # what a loop may own: FOR_ITER then leaves its slots as they are
    NULL: (opcodes.NAME, ALWAYS),
    NULLABLE: (opcodes.NAME, MAYBE),
    LASTI: (values.LASTI, values.NEVER),
    PREVIOUS: (values.PREVIOUS, values.NEVER),
}
_ENDS = [op in opcodes.NO_FALLTHROUGH for op in range(256)]
_ARGUMENT_COUNTS = [  # does what an instruction does to the stack depend on its argument?
    opcodes.POPS[op] is None or opcodes.PUSHES[op] is None or op in (opcodes.COPY, opcodes.SWAP, opcodes.LOAD_SPECIAL)
    for op in range(256)
]
