"""What goes over from the crashed frame into the new code: blocks on the value stack, kept results.

In: both sides with their flows, the alignment, where the new code is entered. Out: `Carried`.
Always true: every slot that the new code finds on its value stack is the one of the same block in the old frame; what
cannot be accounted for is refused; an exception that waits to be raised again is never lost.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from daifu_bc.analysis import values
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.source_index import Entry
from daifu_bc.analysis.source_text import Place as Spot
from daifu_bc.analysis.values import Stack, Value
from daifu_bc.errors import CannotResume
from daifu_bc.interpreter import opcodes
from daifu_bc.surgery.align import Alignment
from daifu_bc.surgery.texts import Side
from daifu_bc.transform.registry import Protection

_HANDLING = frozenset({values.LASTI, values.PREVIOUS, values.HANDLED})


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """One side with what is known of its bytecode."""

    side: Side
    protection: Protection

    def spot(self, index: int) -> Spot:
        """Where an instruction stands in the text."""
        lineno, _end, col, _end_col = self.protection.positions[index]
        return lineno or 0, col or 0

    def entry(self, index: int) -> Entry | None:
        """The statement that an instruction belongs to."""
        return self.side.origin.index.entry_at(self.spot(index))


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """Slots are counted from the bottom of the value stack."""

    slots: list[int]  # of the new value stack: which slot of the old one, -1: NULL
    left: list[list[int]]  # exits of `with` blocks that are gone, innermost first: their slots
    kept: dict[int, int]  # kept results: hidden local of the old code -> of the new one


def carry(old: Body, index: int, new: Body, target: int, aligned: Alignment, same: dict[int, int] | None) -> Carried:
    """`same`: instructions of the crashed statement -> those of the new one, if it goes on in its middle."""
    have = values.bottom_up(values.cut(old.protection.flow.before[index], own_depth(old.protection.flow, index)))  # type: ignore[arg-type]
    depth = own_depth(new.protection.flow, target) if same is not None else None
    before = new.protection.flow.before[target]
    want = values.bottom_up(values.cut(before, depth) if depth is not None else before)  # type: ignore[arg-type]
    found = {key: slot for slot, key in enumerate(_keys(old, have, aligned.to_new, same or {}))}
    slots = []
    for value, key in zip(want, _keys(new, want, None, None), strict=True):
        if value.null == values.ALWAYS:
            slots.append(-1)
        elif key in found:
            slots.append(found[key])
        else:
            raise CannotResume(f"surgery: {_lacking(new, value)}; choose the line to go on with at=LINE")
    unused = [slot for slot in range(len(have)) if slot not in slots]
    if any(have[slot].kind == values.HANDLED for slot in unused):
        raise CannotResume(
            "surgery: the crash is in a `finally` or `with` exit that holds an exception back, and the new text goes "
            "on outside of it: the exception would be lost; keep the block, or choose a line in it with at=LINE"
        )
    return Carried(slots, _exits_left(old, have, unused), _kept(old, index, new, same or {}))


def _keys(
    body: Body, stack: list[Value], partners: dict[Entry, Entry] | None, same: dict[int, int] | None
) -> list[Hashable]:
    """For each slot what it is, in terms of the new text. `partners` and `same` lead there from the old one."""
    keys: list[Hashable] = []
    counts: dict[Hashable, int] = {}
    for value in stack:
        key = _key(body, value, partners, same)
        counts[key] = counts.get(key, 0) + 1
        keys.append((key, counts[key]))
    return keys


def _key(body: Body, value: Value, partners: dict[Entry, Entry] | None, same: dict[int, int] | None) -> Hashable:
    if value.kind in _HANDLING:
        return value.kind
    entry = body.entry(value.index)
    owner: Entry | None = None
    if entry is not None and value.kind == values.ITERATOR and _is_loop_of(entry, body, value.index):
        owner = entry
    if entry is not None and value.kind == values.EXIT and isinstance(entry.node, ast.With | ast.AsyncWith):
        owner = entry
    if owner is not None:
        item = _item(owner, body.spot(value.index)) if value.kind == values.EXIT else 0
        return (value.kind, owner if partners is None else partners.get(owner, id(owner)), item)
    return (value.kind, value.index if same is None else same.get(value.index, -1 - value.index), value.out)


def _is_loop_of(entry: Entry, body: Body, index: int) -> bool:
    """Is this the iterator of the `for` statement itself (and not of a comprehension in its header)?"""
    node = entry.node
    if not isinstance(node, ast.For | ast.AsyncFor):
        return False
    lineno, end_lineno, col, end_col = body.protection.positions[index]
    of_subject = (node.iter.lineno, node.iter.end_lineno, node.iter.col_offset, node.iter.end_col_offset)
    return (lineno, end_lineno, col, end_col) == of_subject or (lineno, col) == (node.lineno, node.col_offset)


def _item(entry: Entry, spot: Spot) -> int:
    """Which of the managers of a `with`."""
    items = entry.node.items  # type: ignore[union-attr]
    starts = [(item.context_expr.lineno, item.context_expr.col_offset) for item in items]
    return max((number for number, start in enumerate(starts) if start <= spot), default=0)


def _lacking(new: Body, value: Value) -> str:
    entry = new.entry(value.index)
    where = f"at line {entry.start[0]}" if entry is not None else "there"
    if value.kind == values.ITERATOR:
        return f"the loop {where} of the new text was not running at the crash: its iterator does not exist"
    if value.kind == values.EXIT:
        return f"the `with` block {where} of the new text was not entered at the crash"
    return f"the new text goes on {where} in a block whose state does not exist at the crash"


def _exits_left(old: Body, have: list[Value], unused: list[int]) -> list[list[int]]:
    exits: list[list[int]] = []
    for slot in reversed(unused):
        value = have[slot]
        if value.kind != values.EXIT:
            continue
        entry = old.entry(value.index)
        if entry is not None and isinstance(entry.node, ast.AsyncWith):
            raise CannotResume(
                f"surgery: the `async with` of line {entry.start[0]} is gone in the new text, and it cannot be awaited "
                "here that it is left; keep it, or go on with at=LINE behind it"
            )
        if value.null and exits and slot + 1 not in exits[-1]:
            exits.append([slot])
        elif not value.null and exits and slot + 1 in exits[-1] and have[slot + 1].null:
            exits[-1].insert(0, slot)
        else:
            exits.append([slot])
    return exits


# The middle of a statement.

_LOADS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT", "LOAD_CLASSDEREF", "LOAD_CLOSURE")
_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME")
_ACCESS = {**dict.fromkeys(_LOADS, "load"), **dict.fromkeys(_STORES, "store")}
_FAST = re.compile("(LOAD|STORE)_FAST")
_NOTHING = frozenset({"PUSH_NULL", "NOP", "EXTENDED_ARG", "CACHE", "NOT_TAKEN", "LOAD_LOCALS", "COPY_FREE_VARS"})


def same_instructions(old: Body, crashed: Entry, index: int, new: Body, partner: Entry) -> Iterator[dict[int, int]]:
    """Instructions of a statement up to the failing one -> those of the same statement in the new code.

    A statement in a `finally` has several copies: one answer for each copy in the new code that does the same.
    """
    begun = [token for token in _copies(old, crashed, index) if token[-1][1] == index][-1:]
    for tokens in begun:
        for there in _copies(new, partner, -1):
            there = there[: len(tokens)]
            if [token for token, _ in there] == [token for token, _ in tokens]:
                yield {left: right for (_, left), (_, right) in zip(tokens, there, strict=True)}


def _copies(body: Body, entry: Entry, until: int) -> list[list[tuple[str, int]]]:
    """The tokens of each copy of a statement, the one with instruction `until` up to that."""
    tokens = _tokens(body, entry)
    copies: list[list[tuple[str, int]]] = []
    for token, index in tokens:
        begins = token == tokens[0][0] and body.protection.positions[index] == body.protection.positions[tokens[0][1]]
        if begins and (not copies or copies[-1][-1][1] != index):
            copies.append([])
        copies[-1].append((token, index))
    for copy in copies:
        at = next((number for number, (_, index) in enumerate(copy) if index == until), None)
        if at is not None:
            while at + 1 < len(copy) and copy[at + 1][1] == until:
                at += 1
            del copy[at + 1 :]
    return copies


def _tokens(body: Body, entry: Entry) -> list[tuple[str, int]]:
    """What a statement does, however its variables are stored."""
    tokens = []
    ops = body.protection.flow.instructions.ops
    for index, op in enumerate(ops):
        if not entry.start <= body.spot(index) < entry.end:
            continue
        name = opcodes.OPNAME[op]
        if name in _NOTHING:
            continue
        access = next((token for start, token in _ACCESS.items() if name.startswith(start)), None)
        if access is None:
            tokens.append((name, index))
        elif "_AND_CLEAR" in name:
            tokens.append(("clear", index))
        else:
            parts = _FAST.findall(name) or [access]
            tokens += [(part.lower(), index) for part in parts]
    return tokens


def _kept(old: Body, index: int, new: Body, same: dict[int, int]) -> dict[int, int]:
    made = {(value.index, value.out): value.slot for value in new.protection.keeps.kept}
    kept = {}
    for value in _held(old.protection.flow.before[index]):  # type: ignore[arg-type]
        there = made.get((same.get(value.index, -1), value.out))
        if there is not None:
            kept[value.slot] = there
    return kept


def _held(stack: Stack) -> list[Value]:
    """Kept results that what is on the value stack was made of."""
    found: list[Value] = []
    waiting = list(values.top_down(stack))
    while waiting:
        value = waiting.pop()
        if value.kept:
            found.append(value)
        elif value.kind < values.JOIN:
            waiting += value.operands
    return found
