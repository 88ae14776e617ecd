"""Where the new text goes on: the statement that corresponds to the crash.

In: `Alignment`, the statement that crashed, a line if the developer chose one. Out: `Place`.
Always true: nothing that ran is run again in silence: what would be is named, or the edit is refused; a block that
needs a state which the crash does not have (an iterator, an open `with`) is entered at its header.

Rules: a statement that reads the same goes on at its failing instruction; a changed one at its start; where it was
removed, at what stands there now; statements put in just above it come first; a new `try` around it is entered; a new
`with`, loop or `if` begins at its header.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from daifu_bc.analysis.source_codes import Comprehension
from daifu_bc.analysis.source_index import Definition, Entry
from daifu_bc.errors import CannotResume
from daifu_bc.surgery.align import Alignment
from daifu_bc.surgery.texts import Edit

_Loop = ast.For | ast.AsyncFor | ast.While
_With = ast.With | ast.AsyncWith
_Try = ast.Try | ast.TryStar


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A statement of the new text; None: the end of the function."""

    entry: Entry | None
    exactly: bool = False  # at the failing instruction, not at the statement's start
    running: bool = False  # a `for` header whose loop runs: its iterator is asked
    notes: tuple[str, ...] = ()


def place_of(edit: Edit, aligned: Alignment, crashed: Entry, at: int | None, *, in_loop_header: bool) -> Place:
    """Where to go on. `in_loop_header`: a running loop's iterator raised. Raises CannotResume."""
    if isinstance(edit.old.origin.scope, ast.Lambda | Comprehension):
        return _in_expression(edit, aligned, aligned.to_new[crashed], at)
    if at is not None:
        return _at_line(edit, aligned, at)
    partner = aligned.to_new.get(crashed)
    if partner is not None and in_loop_header:
        return Place(partner, exactly=aligned.is_same(partner), running=True)
    if partner is None:
        partner = _in_its_stead(edit, aligned, crashed)
        if partner is None or _runs(aligned, partner, crashed):
            return Place(partner, running=partner is not None)
    header = _first_closed(aligned, partner, crashed)
    if header is not None:
        _refuse_what_ran(aligned, header, partner, crashed)
        partner = header
    first = _above(aligned, partner)
    exactly = first is partner and aligned.is_same(partner) and aligned.to_old[partner] is crashed
    return Place(first, exactly=exactly)


def _in_expression(edit: Edit, aligned: Alignment, entry: Entry, at: int | None) -> Place:
    """A lambda begins anew; a generator expression has an item in its hands and cannot."""
    is_same = aligned.is_same(entry)
    if at is not None or (not is_same and not isinstance(edit.old.origin.scope, ast.Lambda)):
        raise CannotResume(
            "surgery: a generator expression or lambda has no lines to go on at, and a changed generator expression "
            "would lose the item that it is at; go on with retry or use VALUE, or in the function around it (At)"
        )
    return Place(entry, exactly=is_same)


def _at_line(edit: Edit, aligned: Alignment, at: int) -> Place:
    """The first statement that begins on the line, or that holds it."""
    for entry in aligned.new:
        if entry.start[0] == at:
            return Place(entry)
    for entry in aligned.new:
        if entry.start[0] <= at <= entry.end[0]:
            return Place(entry)
    raise CannotResume(f"surgery: no statement of {edit.new.code.co_qualname} begins on line {at} of the new text")


def blocks_around(entry: Entry) -> Iterator[tuple[Entry, str]]:
    """Blocks of the scope that a statement is in, innermost first: the compound statement and which of its blocks."""
    while entry.parent is not None and not isinstance(entry.parent.node, Definition):
        yield entry.parent, entry.field
        entry = entry.parent


def has_state(entry: Entry, field: str) -> bool:
    """Is there something on the value stack for this block?"""
    node = entry.node
    if isinstance(node, ast.For | ast.AsyncFor | _With):
        return field == "body"
    return isinstance(node, ast.ExceptHandler) or (isinstance(node, _Try) and field == "finalbody")


def _in_its_stead(edit: Edit, aligned: Alignment, gone: Entry) -> Entry | None:
    """What stands where a removed statement stood; None: the end of the function."""
    old, new = edit.old.origin.index, edit.new.origin.index
    before = [old.entry_of(node) for node in gone.block[: gone.position]]
    partners = [aligned.to_new[entry] for entry in before if entry in aligned.to_new]
    if partners:
        return new.entry_after(partners[-1])
    around = gone.parent
    if around is None or isinstance(around.node, Definition):
        return aligned.new[0] if aligned.new else None
    if around not in aligned.to_new:
        return _in_its_stead(edit, aligned, around)  # its block is gone as well
    block = getattr(aligned.to_new[around].node, gone.field, [])
    return new.entry_of(block[0]) if block else new.entry_after(aligned.to_new[around])


def _runs(aligned: Alignment, header: Entry, crashed: Entry) -> bool:
    """Is this the header of a loop that the crash is in?"""
    if not isinstance(header.node, ast.For | ast.AsyncFor):
        return False
    old = aligned.to_old.get(header)
    return any(around is old and field == "body" for around, field in blocks_around(crashed))


def _first_closed(aligned: Alignment, entry: Entry, crashed: Entry) -> Entry | None:
    """The outermost block around `entry` that cannot be entered in the middle: its header is where to go on."""
    inside = {(around, field) for around, field in blocks_around(crashed)}
    for around, field in reversed(list(blocks_around(entry))):
        old = aligned.to_old.get(around)
        if old is not None and (not has_state(around, field) or (old, field) in inside):
            continue
        if isinstance(around.node, _Try):
            continue  # a `finally` has a copy that is entered when nothing failed
        if isinstance(around.node, ast.ExceptHandler):
            raise CannotResume(_NO_HANDLER)
        if isinstance(around.node, ast.match_case):
            return around.parent
        return around
    return None


_NO_HANDLER = (
    "surgery: in the new text the failing statement stands in a handler that is not running; "
    "choose the line to go on with at=LINE"
)


def _refuse_what_ran(aligned: Alignment, header: Entry, partner: Entry, crashed: Entry) -> None:
    """Statements that ran already must not run again because a new block was put around them."""
    within = aligned.new[aligned.new.index(header) : aligned.new.index(partner)]
    again = [entry for entry in within if entry in aligned.to_old and _has_run(aligned, aligned.to_old[entry], crashed)]
    if again:
        texts = "; ".join(f"line {entry.start[0]}" for entry in again)
        raise CannotResume(
            f"surgery: the new block at line {header.start[0]} also holds what has run already ({texts}), "
            f"which would run again; say where to go on with at=LINE (at={header.start[0]} runs all of it)"
        )


def _has_run(aligned: Alignment, old: Entry, crashed: Entry) -> bool:
    return aligned.old.index(old) < aligned.old.index(crashed) and not isinstance(old.node, Definition)


def _above(aligned: Alignment, entry: Entry) -> Entry:
    """The first of the new statements that stand just above `entry`."""
    while True:
        before = entry.block[entry.position - 1] if entry.position else None
        if before is not None:
            above = aligned.index.entry_of(before)
            if above in aligned.to_old or entry.field in ("handlers", "cases"):
                return entry
            entry = above
            continue
        around = entry.parent
        new_try = around is not None and around not in aligned.to_old and isinstance(around.node, _Try)
        if around is None or not new_try or entry.field != "body" or not _stands_below_new(aligned, around):
            return entry
        entry = around


def _stands_below_new(aligned: Alignment, entry: Entry) -> bool:
    """Is there a new statement just above?"""
    if not entry.position:
        return False
    above = aligned.index.entry_of(entry.block[entry.position - 1])
    return above not in aligned.to_old


# What the developer should know.


def not_run_again(edit: Edit, aligned: Alignment, place: Place) -> list[str]:
    """Changes further up, which take effect only when the run comes there again."""
    notes = []
    limit = aligned.new.index(place.entry) if place.entry is not None else len(aligned.new)
    for entry in aligned.new[:limit]:
        if not aligned.is_same(entry):
            what = "changed" if entry in aligned.to_old else "new"
            if place.entry is not None and _holds(entry, place.entry) and what == "new":
                continue  # a block that is entered
            notes.append(f"line {entry.start[0]} is {what} and is not run again: {_one_line(edit, entry)}")
    return notes


def _holds(around: Entry, entry: Entry) -> bool:
    return any(block is around for block, _field in blocks_around(entry))


def _one_line(edit: Edit, entry: Entry) -> str:
    text = " ".join(edit.new.origin.index.text.slice(entry.start, entry.end).split())
    return text if len(text) <= 60 else text[:57] + "..."
