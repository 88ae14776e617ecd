"""A second, independent check of generated code: the `bytecode` package reads it and computes its stack size.

In: a generated code object. Out: nothing, or InternalError. Used by tests, and by every protection where
DAIFU_BC_VERIFY=full is set (it takes ten times as long as the check in verify.py).
Always true: what passes is read by both sides as the same instructions, and is given enough stack by both.
"""

from __future__ import annotations

import os
from types import CodeType

from daifu_bc.analysis.instructions import decode
from daifu_bc.errors import InternalError
from daifu_bc.interpreter import opcodes


def is_asked_for() -> bool:
    """Does the environment ask for the second check?"""
    return os.environ.get("DAIFU_BC_VERIFY", "") == "full"


def can_read(code: CodeType) -> bool:
    """Can the package read what the compiler made? (Template strings, for one, it cannot.)"""
    import bytecode

    try:
        bytecode.Bytecode.from_code(code)
    except (IndexError, ValueError):
        return False
    return True


def check(code: CodeType) -> None:
    """Raise InternalError if the `bytecode` package reads `code` differently, or wants more stack for it."""
    import bytecode  # here, because it takes longer to import than all of daifu_bc

    theirs = [
        instruction.opcode
        for instruction in bytecode.ConcreteBytecode.from_code(code)
        if isinstance(instruction, bytecode.ConcreteInstr) and instruction.name not in _NOT_COUNTED
    ]
    if theirs != decode(code).ops:
        raise InternalError("generated code does not verify: the bytecode package reads other instructions")
    if opcodes.LOAD_CLOSURE >= 0 and (code.co_cellvars or code.co_freevars):
        return  # the package knows no LOAD_FAST_CHECK of a cell's slot where cells have loads of their own
    if not set(code.co_varnames).isdisjoint(code.co_freevars):
        return  # nor of a free variable's slot where an inlined comprehension has a variable of the same name
    wanted = bytecode.Bytecode.from_code(code, conserve_exception_block_stackdepth=True).compute_stacksize()
    if wanted > code.co_stacksize:
        raise InternalError(f"generated code does not verify: stack of {wanted} wanted, {code.co_stacksize} given")


_NOT_COUNTED = frozenset(("CACHE", opcodes.OPNAME[opcodes.EXTENDED_ARG]))
