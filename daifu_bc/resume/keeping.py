"""A supplied result that the rest of its statement still needs: kept, as if the instruction had given it.

In: a plan that goes on behind an instruction whose result was supplied. Out: protected code that keeps this result in
a hidden local until the statement's end, and the recipe and snapshot for it; None where that is not needed.
Always true: the twin is the same code but for what is kept in it; hidden locals are told apart by the values they hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from types import CodeType

from daifu_bc.analysis import values
from daifu_bc.analysis.recipes import kept_in_stack, recipe_for
from daifu_bc.analysis.values import Value
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes
from daifu_bc.resume.places import NEXT_VALUE, Plan, resources_of
from daifu_bc.resume.snapshot import Snapshot
from daifu_bc.transform import registry
from daifu_bc.transform.protect import keeping_twin
from daifu_bc.transform.registry import Protection


@dataclass(frozen=True, slots=True)
class Kept:
    """Code that keeps what was supplied."""

    code: CodeType
    protection: Protection
    recipe: list[tuple[int, int]]
    moved: dict[int, int]  # hidden local's slot in the code before -> in this one

    def move(self, snapshot: Snapshot) -> None:
        """Put kept results where this code expects them."""
        found = {new: snapshot.variables.pop(old) for old, new in self.moved.items() if old in snapshot.variables}
        snapshot.variables.update(found)


def kept_from_now(state: FrameState, chosen: Plan, base: CodeType, before: Protection) -> Kept | None:
    """What keeps the result that `chosen` supplies, None if nothing needs it any more."""
    if chosen.side != "after" or NEXT_VALUE not in chosen.recipe or not _is_needed(before, chosen.index):
        return None
    try:
        code = keeping_twin(base, before, before.also | {chosen.index})
    except CannotProtect:
        return None  # it is evaluated again where the statement fails again
    after = registry.protection_of(code)
    result = _result(after, chosen.index) if after is not None else None
    if after is None or result is None or not result.kept:
        return None
    slots = {_name(value): value.slot for value in after.keeps.kept}
    first = before.original.co_nlocals
    needed = kept_in_stack(before.flow, before.keeps, chosen.index)
    moved = {
        first + value.slot: first + slots[_name(value)]
        for value in _living(before, chosen.index)
        if value.slot in needed
    }
    dropped = {value for value in after.keeps.kept if _name(value) in {_name(one) for one in state.dropped}}
    bound = {moved[first + slot] - first for slot in _bound(state) if first + slot in moved}
    given = replace(resources_of(state, after), dropped=dropped, bound_hidden=bound)
    op, arg = after.flow.instructions.ops[chosen.index], after.flow.instructions.args[chosen.index]
    results = chosen.recipe[-opcodes.pushes(op, arg) :]
    return Kept(code, after, recipe_for(given, chosen.index, opcodes.pops(op, arg)) + results, moved)


def _is_needed(protection: Protection, index: int) -> bool:
    """Does an instruction that can fail still need the one result of `index`, which is not kept as it is?"""
    if protection.keeps.operands.get(index) or opcodes.OPNAME[protection.flow.instructions.ops[index]] == "GET_ITER":
        return False
    result = _result(protection, index)
    return result is not None and result.needed and not result.kept


def _result(protection: Protection, index: int) -> Value | None:
    """What `index` leaves on the stack; not the NULL beside a callable."""
    ins, after = protection.flow.instructions, protection.flow.before[index + 1]
    top = islice(values.top_down(after), opcodes.pushes(ins.ops[index], ins.args[index]))  # type: ignore[arg-type]
    return next((value for value in top if value.index == index and value.null == values.NEVER), None)


def _living(protection: Protection, index: int) -> list[Value]:
    """Kept results that the stack before `index` is made of."""
    found: list[Value] = []
    queue = list(values.top_down(protection.flow.before[index]))  # type: ignore[arg-type]
    for value in queue:
        if value.kept:
            found.append(value)
        elif value.kind < values.JOIN:
            queue.extend(value.operands)
    return found


def _name(value: Value) -> tuple[int, int, int]:
    """The same in all protected twins of one code object."""
    return value.index, value.kind, value.out


def _bound(state: FrameState) -> set[int]:
    return set(resources_of(state, state.protection).bound_hidden)
