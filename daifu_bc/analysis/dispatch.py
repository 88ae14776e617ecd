"""`except` clauses that take an exception by themselves, so that no barrier has to come first.

In: `Flow`. Out: `Dispatch` per exception-table row that leads to except clauses.
Always true: a clause all of whose paths raise again makes a dispatch useless here (what passes it is a crash, and
has to be met before the clause runs); a `finally`, a `with` or an `except*` is never a dispatch.

What we want: raise and catch inside protected code at its plain cost. What does not work: a barrier that calls
Python first (ten times as slow). What we do: where a clause catches every Exception, there is no barrier; where the
clauses name classes and the handler keeps all slots that the failing instruction has, the exception goes to the
clauses first, and the barrier waits at the re-raise behind the last of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from daifu_bc.analysis.flow import Flow
from daifu_bc.interpreter import opcodes


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The clauses of one `try`, as instruction indices."""

    catches_all: bool  # some clause catches every Exception
    bodies: tuple[int, ...]  # first instruction of each clause's body
    tests: tuple[tuple[tuple[int, int], ...], ...]  # loads (instruction, argument) of each clause's class
    indices: frozenset[int]  # of the tests
    unmatched: int  # the re-raise behind the last clause, -1 if the last clause catches whatever comes


def dispatches_of(flow: Flow) -> dict[int, Dispatch]:
    """Exception-table row -> its clauses, for rows that lead to clauses."""
    by_target: dict[int, Dispatch | None] = {}
    found = {}
    covering = set(flow.cover)
    for number, row in enumerate(flow.instructions.rows):
        target = row[2]
        if target not in by_target:
            by_target[target] = _read(flow, target)
        dispatch = by_target[target]
        if dispatch is not None and number in covering:
            found[number] = dispatch
    return found


def _read(flow: Flow, target: int) -> Dispatch | None:
    ins = flow.instructions
    ops = ins.ops
    if ops[target] != opcodes.PUSH_EXC_INFO:
        return None
    bodies: list[int] = []
    indices: set[int] = set()
    tests: list[tuple[tuple[int, int], ...]] = []
    catches_all = False
    index = target + 1
    while True:
        if ops[index] == opcodes.RERAISE:
            return Dispatch(catches_all, tuple(bodies), tuple(tests), frozenset(indices), index) if bodies else None
        clause = _clause(flow, index)
        if clause is None:
            return None
        loads, body, following = clause
        if not _can_end(flow, body):
            return None
        bodies.append(body)
        indices.update(range(index, body))
        tests.append(loads)
        catches_all = catches_all or not loads or _names_exception(flow, loads)
        if following < 0:
            return Dispatch(True, tuple(bodies), tuple(tests), frozenset(indices), -1)
        index = following


def _clause(flow: Flow, index: int) -> tuple[tuple[tuple[int, int], ...], int, int] | None:
    """(loads of the class, body, next clause) of the clause that begins at `index`; None for anything else."""
    ops, args = flow.instructions.ops, flow.instructions.args
    if ops[index] == opcodes.POP_TOP:  # a bare except
        return (), index, -1
    loads = []
    while ops[index] in _CLASS_LOADS:
        if ops[index] == opcodes.LOAD_ATTR and args[index] & 1:
            return None
        loads.append((ops[index], args[index]))
        index += 1
    if not loads or ops[index] != opcodes.CHECK_EXC_MATCH:
        return None
    index += 1
    if ops[index] != opcodes.POP_JUMP_IF_FALSE:
        return None
    following = flow.instructions.targets[index]
    body = index + 1
    if ops[body] == opcodes.NOT_TAKEN:
        body += 1
    return tuple(loads), body, following


def _names_exception(flow: Flow, loads: tuple[tuple[int, int], ...]) -> bool:
    if len(loads) != 1:
        return False
    op, arg = loads[0]
    if op not in (opcodes.LOAD_GLOBAL, opcodes.LOAD_NAME):
        return False
    name = flow.instructions.code.co_names[arg >> 1 if op == opcodes.LOAD_GLOBAL else arg]
    return name in ("Exception", "BaseException")


def _can_end(flow: Flow, body: int) -> bool:
    """Does some path through a clause's body end without raising? (It leaves the handler by POP_EXCEPT.)"""
    ops, targets = flow.instructions.ops, flow.instructions.targets
    seen: set[int] = set()
    waiting = [body]
    while waiting:
        index = waiting.pop()
        if index in seen or index >= len(ops):
            continue
        seen.add(index)
        op = ops[index]
        if op == opcodes.POP_EXCEPT:
            return True
        if targets[index] >= 0 and op not in opcodes.REFERS_BACK:
            waiting.append(targets[index])
        if op not in opcodes.NO_FALLTHROUGH:
            waiting.append(index + 1)
    return False


_CLASS_LOADS = frozenset(
    op
    for op in (
        opcodes.LOAD_GLOBAL, opcodes.LOAD_NAME, opcodes.LOAD_FAST, opcodes.LOAD_FAST_BORROW, opcodes.LOAD_FAST_CHECK,
        opcodes.LOAD_DEREF, opcodes.LOAD_ATTR, opcodes.BUILD_TUPLE, opcodes.LOAD_CONST,
    )
    if op >= 0
)  # fmt: skip
