"""Check a generated code object before it is installed, by abstract interpretation.

In: the new code object and what its blocks were made for. Out: nothing, or InternalError.
Always true after it: every path brings the same depth to an instruction, and wherever an exception leads to a
barrier block, the slots below are of the kinds that the block takes apart.
"""

from __future__ import annotations

from types import CodeType

from daifu_bc.analysis import values
from daifu_bc.analysis.contexts import Contexts, kinds_of
from daifu_bc.analysis.flow import UNREACHED, flow_of
from daifu_bc.analysis.instructions import decode
from daifu_bc.errors import CannotProtect, InternalError
from daifu_bc.transform.program import Program

_AS_SLOTS = str.maketrans("ixs", "vv?")  # what the slots can hold, whatever they are for


def verify(code: CodeType, program: Program, blocks: list[int], found: Contexts) -> None:
    """Raise InternalError if `code` could corrupt the interpreter."""
    try:
        instructions = decode(code)
        flow = flow_of(instructions)
    except CannotProtect as error:
        raise InternalError(f"generated code does not verify: {error}") from error
    if instructions.ops != program.ops:
        raise InternalError("generated code does not verify: it was not laid out as written")
    kinds_at = {program.labels[block]: context.kinds for block, context in zip(blocks, found.table, strict=True)}
    checked: set[tuple[int, int]] = set()
    limit = code.co_stacksize
    for index, stack in enumerate(flow.before):
        if stack is UNREACHED:
            continue
        if stack is not None and stack[2] > limit:  # type: ignore[index]
            raise InternalError(f"generated code does not verify: value stack too deep at instruction {index}")
        row = flow.cover[index]
        if row < 0:
            continue
        _start, _end, target, depth, _lasti = instructions.rows[row]
        if values.depth_of(stack) < depth:  # type: ignore[arg-type]
            raise InternalError(f"generated code does not verify: handler deeper than instruction {index}")
        kinds = kinds_at.get(target)
        cell = values.cut(stack, depth)  # type: ignore[arg-type]
        if kinds is None or (id(cell), target) in checked:
            continue
        checked.add((id(cell), target))
        if len(kinds) != depth or kinds_of(cell).translate(_AS_SLOTS) != kinds.translate(_AS_SLOTS):
            raise InternalError(f"generated code does not verify: instruction {index} leads to the wrong barrier")
