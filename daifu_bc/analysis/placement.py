"""Where kept results are stored and dropped, and in which hidden local.

In: the values that are kept (analysis.keeps decides). Out: the filled-in `Keeps`.
Always true: two values that are alive at the same instruction have different hidden locals; on every path out of
the statement a kept value's hidden local is emptied (barrier blocks do it where an exception leaves).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from daifu_bc.analysis import values
from daifu_bc.analysis.flow import UNREACHED, Flow
from daifu_bc.analysis.values import Stack, Value
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.interpreter.opcodes import EFFECT, NAME

Store = tuple[int, int]  # position from the top (1 = top), hidden local


@dataclass(slots=True, eq=False)
class Keeps:
    """Hidden locals of one code object."""

    slots: int = 0  # how many hidden locals
    stores_after: dict[int, list[Store]] = field(default_factory=dict)  # instruction -> kept once it is done
    stores_before: dict[int, list[Store]] = field(default_factory=dict)  # instruction -> kept when it begins
    drops_after: dict[int, list[int]] = field(default_factory=dict)  # hidden locals dropped once it is done
    drops_before: dict[int, list[int]] = field(default_factory=dict)  # dropped before (unconditional jumps)
    drops_jumping: dict[int, list[int]] = field(default_factory=dict)  # dropped where it jumps
    operands: dict[int, dict[int, Value]] = field(default_factory=dict)  # instruction -> stack index -> kept exit
    kept: list[Value] = field(default_factory=list)
    owning: set[int] = field(default_factory=set)  # loads that must not borrow
    held: dict[int, frozenset[int]] = field(default_factory=dict)  # instruction -> hidden locals in use there


class Placement:
    """Gives each kept value a hidden local, and finds where it is stored and dropped."""

    def __init__(self, flow: Flow, keeps: Keeps, exits: dict[int, list[tuple[int, Value]]]) -> None:
        self.flow = flow
        self.keeps = keeps
        self.exits = exits
        self.kept_in_stack: dict[int, frozenset[Value]] = {}  # by the id of a stack's top cell
        self.kept_in_value: dict[int, frozenset[Value]] = {}  # by the id of a value that is not kept itself
        self.last: dict[Value, int] = {}  # kept value -> last instruction whose stack needs it

    def place(self) -> None:
        """Fill in `keeps`."""
        alive = self._alive()
        self._assign_slots()
        self._store()
        self._drop(alive)
        self._note_held(alive)
        self._keep_exits()

    def _alive(self) -> list[frozenset[Value]]:
        """Kept values that the stack before each instruction still needs."""
        nothing: frozenset[Value] = frozenset()
        alive = []
        last = self.last
        sent_until_end = self._sent_values()
        for index, stack in enumerate(self.flow.before):
            if stack is None or stack is UNREACHED:
                found = nothing
            else:
                known = self.kept_in_stack.get(id(stack))
                found = self._in_stack(stack) if known is None else known  # type: ignore[arg-type]
            extra = sent_until_end.get(index)
            if extra is not None and extra.kept:
                found = found | {extra}
            alive.append(found)
            for value in found:
                last[value] = index
        return alive

    def _sent_values(self) -> dict[int, Value]:
        """What was sent into an await is kept until the await is over (END_SEND), not only for one SEND."""
        found: dict[int, Value] = {}
        for index, op in enumerate(self.flow.instructions.ops):
            stack = self.flow.before[index]
            if op == opcodes.SEND and stack is not UNREACHED and stack is not None:
                for inside in range(index + 1, self.flow.instructions.targets[index] + 1):
                    found[inside] = stack[0]  # type: ignore[index]
        return found

    def _in_stack(self, stack: Stack) -> frozenset[Value]:
        """Kept values that are in `stack`, or that something in it is made from."""
        found: frozenset[Value] = frozenset()
        cells = []
        while stack is not None:
            known = self.kept_in_stack.get(id(stack))
            if known is not None:
                found = known
                break
            cells.append(stack)
            stack = stack[1]
        for cell in reversed(cells):
            value = cell[0]
            if value.kept or value.operands:
                found = found | self._in_value(value)
            self.kept_in_stack[id(cell)] = found
        return found

    def _in_value(self, value: Value) -> frozenset[Value]:
        """`value` if it is kept, else the kept values that it is made from."""
        if value.kept:
            return frozenset((value,))
        if not value.operands or value.kind >= values.JOIN:
            return frozenset()
        known = self.kept_in_value.get(id(value))
        if known is None:
            known = frozenset()
            for operand in value.operands:
                if operand.kept or operand.operands:
                    known = known | self._in_value(operand)
            self.kept_in_value[id(value)] = known
        return known

    def _assign_slots(self) -> None:
        """Each kept value gets the lowest hidden local that is free until it is needed for the last time."""
        free_at: list[int] = []  # hidden local -> last instruction that needs its value
        for value in sorted(self.keeps.kept, key=lambda kept: (kept.index, kept.kind != values.JOIN, kept.out)):
            end = self.last.get(value, value.index)
            begin = value.index - 1 if value.kind == values.JOIN else value.index
            slot = next((slot for slot, busy_until in enumerate(free_at) if busy_until <= begin), len(free_at))
            if slot == len(free_at):
                free_at.append(0)
            free_at[slot] = end
            value.slot = slot
        self.keeps.slots = len(free_at)

    def _store(self) -> None:
        """A result is stored behind the instruction that made it, a join before the one at which the paths meet."""
        for value in self.keeps.kept:
            index = value.index
            if value.kind == values.JOIN:
                stack = self.flow.before[index]
                self.keeps.stores_before.setdefault(index, []).append((_position(stack, value), value.slot))  # type: ignore[arg-type]
                self._own_loads(value)
                continue
            position = value.outs - value.out
            if value.kind == NAME:
                self.keeps.owning.add(index)
            self.keeps.stores_after.setdefault(index, []).append((position, value.slot))

    def _own_loads(self, value: Value) -> None:
        """What meets at a join is stored: none of it may be borrowed."""
        if behavior.loads_may_borrow:
            for operand in value.operands:
                self.keeps.owning.add(operand.index)
                if operand.kind == values.JOIN:
                    self._own_loads(operand)

    def _drop(self, alive: list[frozenset[Value]]) -> None:
        """A value is dropped on each way from an instruction that has it to one that does not need it any more."""
        instructions = self.flow.instructions
        ops, targets = instructions.ops, instructions.targets
        made_by: dict[int, set[Value]] = {}
        for value in self.keeps.kept:
            if value.kind != values.JOIN:
                made_by.setdefault(value.index, set()).add(value)
        for index, living in enumerate(alive):
            made = made_by.get(index)
            if made:
                living = living | made
            op = ops[index]
            if index in self.keeps.stores_before:
                living = living | {value for value in self.keeps.kept if value.index == index and value.slot >= 0}
            if not living or op in opcodes.EXITS or op == opcodes.CLEANUP_THROW:
                continue
            if op not in opcodes.NO_FALLTHROUGH:
                self._drop_between(living, alive, index, index + 1, self.keeps.drops_after, made)
            target = targets[index]
            if made:  # what an instruction makes is stored behind it, not where it jumps to
                living = living - made
            if target >= 0 and op not in opcodes.REFERS_BACK and op != opcodes.SEND:
                where = self.keeps.drops_before if op in opcodes.NO_FALLTHROUGH else self.keeps.drops_jumping
                self._drop_between(living, alive, index, target, where, made)

    def _drop_between(
        self,
        living: frozenset[Value],
        alive: list[frozenset[Value]],
        index: int,
        following: int,
        where: dict[int, list[int]],
        made: set[Value] | None,
    ) -> None:
        """Drop what is alive at `index` and not at `following`, which control goes to next."""
        if self.flow.before[following] is UNREACHED:
            return
        gone = {value.slot for value in living - alive[following]}
        if not gone:
            return
        gone -= {value.slot for value in alive[following]}
        if made and where is self.keeps.drops_after:
            gone -= {value.slot for value in made}
        gone -= {slot for _, slot in self.keeps.stores_before.get(following, ())}
        if gone:
            if self.flow.instructions.ops[index] == opcodes.YIELD_VALUE:
                index += 1  # nothing may stand between a yield and its RESUME
            where.setdefault(index, []).extend(sorted(gone))

    def _note_held(self, alive: list[frozenset[Value]]) -> None:
        """Which hidden locals can hold something at each instruction."""
        for index, living in enumerate(alive):
            if living or index in self.keeps.stores_before:
                slots = {value.slot for value in living} | {slot for _, slot in self.keeps.stores_before.get(index, ())}
                self.keeps.held[index] = frozenset(slots)

    def _keep_exits(self) -> None:
        """A cell's slot that an instruction consumes (a `with` exit that is called) is kept just before it."""
        for index, consumed in self.exits.items():
            if any(value.null and not behavior.copy_of_null_is_safe for _, value in consumed):
                continue
            depth = values.depth_of(self.flow.before[index])  # type: ignore[arg-type]
            base = self.keeps.slots
            self.keeps.operands[index] = {}
            for number, (position, value) in enumerate(consumed):
                exit_value = Value(index, EFFECT, null=value.null)
                exit_value.slot = base + number
                exit_value.kept = True
                self.keeps.operands[index][position] = exit_value
                self.keeps.stores_before.setdefault(index, []).append((depth - position, exit_value.slot))
                self.keeps.drops_after.setdefault(index, []).append(exit_value.slot)
        if self.keeps.operands:
            self.keeps.slots += max(len(found) for found in self.keeps.operands.values())


def _position(stack: Stack, value: Value) -> int:
    """Position of `value` from the top, 1 is the top."""
    for position, found in enumerate(values.top_down(stack), 1):
        if found is value:
            return position
    raise AssertionError("a join is not where it was made")
