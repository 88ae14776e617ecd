"""A surgery, worked out: which code comes, where it goes on, what goes over. Nothing is changed by it.

In: the crashed code and instruction, the wish. Out: `Prepared`, or CannotResume with the reason.
Always true: asking twice about the same text gives the same answer and the same code objects; the code that comes is
verified like all protected code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from daifu_bc.analysis.flow import UNREACHED
from daifu_bc.analysis.points import Points
from daifu_bc.analysis.source_index import Entry
from daifu_bc.analysis.source_text import end_of
from daifu_bc.errors import CannotProtect, CannotResume
from daifu_bc.interpreter import opcodes
from daifu_bc.surgery.align import Alignment, align
from daifu_bc.surgery.carry import Body, Carried, carry, same_instructions
from daifu_bc.surgery.place import Place, not_run_again, place_of
from daifu_bc.surgery.texts import Edit
from daifu_bc.transform import protect_code
from daifu_bc.transform.registry import Protection, protection_of


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """New code and how it is entered."""

    edit: Edit
    aligned: Alignment
    place: Place
    code: CodeType  # protected
    protection: Protection
    index: int  # instruction of the new original; -1: the function is left, there is nothing more to do
    exactly: bool  # in the middle of the statement, with what it has finished
    carried: Carried
    notes: tuple[str, ...]

    @property
    def line(self) -> int | None:
        """Line of the new text at which it goes on."""
        return self.protection.positions[self.index][0] if self.index >= 0 else None


def prepare(old: Protection, index: int, edit: Edit, at: int | None, *, starts_over: bool = False) -> Prepared:
    """What takes the place of the code of `old`, which crashed at instruction `index`. Raises CannotResume.

    `starts_over`: nothing of the failing statement has run (a pause at its start).
    """
    aligned = align(edit)
    before = Body(edit.old, old)
    crashed = before.entry(index)
    if crashed is None or crashed not in set(aligned.old):
        raise CannotResume("surgery: the crash has no statement in the text; go on with retry, skip, jump or return")
    in_header = old.flow.instructions.ops[index] == opcodes.FOR_ITER and isinstance(crashed.node, ast.For)
    place = place_of(edit, aligned, crashed, at, in_loop_header=in_header)
    code = _protected(edit, old)
    protection = protection_of(code)
    assert protection is not None
    after = Body(edit.new, protection)
    notes = tuple(_notes(edit, aligned, place, crashed))
    if place.entry is None:
        return Prepared(edit, aligned, place, code, protection, -1, False, Carried([], [], {}), notes)
    if place.exactly and not starts_over and not isinstance(crashed.node, ast.Assert):
        for same in same_instructions(before, crashed, index, after, place.entry):
            carried = _try_to_carry(before, index, after, same, aligned)
            if carried is not None:
                return Prepared(edit, aligned, place, code, protection, same[index], True, carried, notes)
        raise CannotResume(
            "surgery: the failing statement reads the same but was compiled to something else, so it cannot go on in "
            "its middle; at=LINE runs it from its start"
        )
    target, carried = _enter(before, index, after, place, aligned)
    return Prepared(edit, aligned, place, code, protection, target, False, carried, notes)


def _protected(edit: Edit, old: Protection) -> CodeType:
    try:
        code = protect_code(edit.new.code, old.settings)
    except CannotProtect as reason:
        raise CannotResume(f"surgery: the new code cannot be protected: {reason}") from reason
    if protection_of(code) is None:
        raise CannotResume("surgery: nothing is left in the new text that could fail; go on with return VALUE")
    return code


def _enter(before: Body, index: int, after: Body, place: Place, aligned: Alignment) -> tuple[int, Carried]:
    """The first point of the statement that can be entered; of the copies of a `finally`, the one that fits."""
    reason = CannotResume("surgery: the new text has nothing to go on at there; choose another line with at=LINE")
    for target in _points(after, place):
        try:
            return target, carry(before, index, after, target, aligned, None)
        except CannotResume as refusal:
            reason = refusal
    raise reason


def _try_to_carry(
    before: Body, index: int, after: Body, same: dict[int, int], aligned: Alignment
) -> Carried | None:
    try:
        return carry(before, index, after, same[index], aligned, same)
    except CannotResume:
        return None


def _points(after: Body, place: Place) -> Iterator[int]:
    assert place.entry is not None
    entry: Entry | None = place.entry
    points = Points(after.protection.flow, 0, after.protection.positions)
    ops, before = after.protection.flow.instructions.ops, after.protection.flow.before
    while entry is not None:
        start, end = entry.start, max(entry.end, end_of(entry.node))
        inside = [i for i in range(len(ops)) if start <= after.spot(i) < end and before[i] is not UNREACHED]
        if place.running:
            inside = [i for i in inside if _is_running(after, i) and after.entry(i) is entry]
        else:
            inside = [i for i in inside if not _is_running(after, i)]
        found = [index for index in inside if points.is_base(index)]
        if found:
            first = after.protection.positions[found[0]]
            yield from (index for index in found if after.protection.positions[index] == first)
            return
        entry = after.side.origin.index.entry_after(entry)  # the compiler made nothing of it: `pass`, a bare name


def _is_running(after: Body, index: int) -> bool:
    """Does this instruction ask a loop's iterator, which must be there?"""
    return after.protection.flow.instructions.ops[index] in (opcodes.FOR_ITER, opcodes.GET_ANEXT)


def _notes(edit: Edit, aligned: Alignment, place: Place, crashed: Entry) -> Iterator[str]:
    yield from not_run_again(edit, aligned, place)


__all__ = ["Prepared", "prepare"]
