"""Check a generated code object before it is installed, by abstract interpretation.

In: the new code object and what its blocks were made for. Out: nothing, or InternalError.
Always true after it: every path brings the same depth to an instruction, and wherever an exception leads to a
barrier block, the slots below are of the kinds that the block takes apart.
"""

from __future__ import annotations

from types import CodeType

from daifu_bc.analysis.contexts import LASTI, VALUE, Contexts
from daifu_bc.analysis.instructions import decode
from daifu_bc.errors import CannotProtect, InternalError
from daifu_bc.transform.program import Program
from daifu_bc.transform.shapes import AS_SLOTS, join, shapes_of


def verify(code: CodeType, program: Program, blocks: list[int], found: Contexts) -> None:
    """Raise InternalError if `code` could corrupt the interpreter."""
    try:
        instructions = decode(code)
    except CannotProtect as error:
        raise InternalError(f"generated code does not verify: {error}") from error
    if instructions.ops != program.ops:
        raise InternalError("generated code does not verify: it was not laid out as written")
    shapes = shapes_of(instructions)
    deepest = max(map(len, filter(None, shapes)), default=0)
    if deepest > code.co_stacksize:
        raise InternalError(f"generated code does not verify: value stack too deep by {deepest - code.co_stacksize}")
    for block, context in zip(blocks, found.table, strict=True):
        arrives, wanted = shapes[program.labels[block]], context.kinds.translate(AS_SLOTS) + _PUSHED
        if arrives is not None and join(arrives, wanted, program.labels[block]) != wanted:
            raise InternalError(f"generated code does not verify: {arrives} comes to a barrier for {wanted}")


_PUSHED = LASTI + VALUE  # by the interpreter, when it goes to a barrier
