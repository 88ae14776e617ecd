"""Abstract interpretation of generated code: what is told of each slot, and what is refused."""

from __future__ import annotations

import pytest

from daifu_bc.analysis.instructions import decode
from daifu_bc.errors import InternalError
from daifu_bc.interpreter import opcodes as op
from daifu_bc.interpreter import tables
from daifu_bc.transform.program import Program
from daifu_bc.transform.shapes import shapes_of


def interpreted(write):
    """The shapes of the code that `write` lays out; it is never run."""
    program = Program()
    program.emit(op.RESUME)
    write(program)
    raw = program.assemble()
    rows = tables.build_exception_table(program.exception_rows())
    code = (lambda: None).__code__.replace(co_code=raw, co_exceptiontable=rows)
    return shapes_of(decode(code)), program.labels


def test_a_slot_that_a_backward_jump_may_fill_is_perhaps_null():
    def loop(p):
        p.emit(op.PUSH_NULL)
        p.mark(0)
        p.emit(op.LOAD_CONST)
        p.jump(op.POP_JUMP_IF_NONE, 1)
        p.emit(op.POP_TOP)
        p.emit(op.LOAD_CONST)
        p.jump(op.JUMP_BACKWARD, 0)
        p.mark(1)
        p.emit(op.LOAD_CONST)
        p.emit(op.RETURN_VALUE)

    shapes, labels = interpreted(loop)
    assert shapes[labels[0]] == shapes[labels[1]] == "?"


def test_a_handler_is_entered_with_what_any_of_its_instructions_leaves():
    def covered(p):
        p.emit(op.PUSH_NULL)
        p.emit(op.LOAD_GLOBAL, 0, cover=(0, 1, True))
        p.emit(op.POP_TOP, 0, cover=(0, 1, True))
        p.emit(op.POP_TOP, 0, cover=(0, 1, True))
        p.emit(op.LOAD_CONST, 0)
        p.emit(op.LOAD_GLOBAL, 0, cover=(0, 1, True))
        p.emit(op.RETURN_VALUE)
        p.mark(0)
        p.emit(op.RERAISE, 1)

    shapes, labels = interpreted(covered)
    assert shapes[labels[0]] == "?lv"


def test_instructions_that_nothing_leads_to_have_no_shape():
    def behind_a_return(p):
        p.emit(op.LOAD_CONST)
        p.emit(op.RETURN_VALUE)
        p.emit(op.POP_TOP)

    assert interpreted(behind_a_return)[0] == ["", "", "v", None]


def two_depths(p):
    p.emit(op.LOAD_CONST)
    p.emit(op.LOAD_CONST)
    p.jump(op.POP_JUMP_IF_NONE, 0)
    p.emit(op.LOAD_CONST)
    p.mark(0)
    p.emit(op.RETURN_VALUE)


def two_depths_in_a_loop(p):
    p.mark(0)
    p.emit(op.LOAD_CONST)
    p.jump(op.JUMP_BACKWARD, 0)


def lasti_and_a_value(p):
    p.emit(op.LOAD_CONST)
    p.emit(op.LOAD_CONST)
    p.emit(op.LOAD_GLOBAL, 0, cover=(0, 0, True))
    p.emit(op.POP_TOP)
    p.mark(0)
    p.emit(op.RERAISE, 1)


def off_the_end(p):
    p.emit(op.LOAD_CONST)


def runs_empty(p):
    p.emit(op.POP_TOP)
    p.emit(op.LOAD_CONST)
    p.emit(op.RETURN_VALUE)


def deep_handler(p):
    p.emit(op.LOAD_GLOBAL, 0, cover=(0, 1, True))
    p.emit(op.RETURN_VALUE)
    p.mark(0)
    p.emit(op.RERAISE, 1)


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (two_depths, "different value stacks"),
        (two_depths_in_a_loop, "different value stacks"),
        (lasti_and_a_value, "different kinds of slots"),
        (off_the_end, "runs off the end"),
        (runs_empty, "runs empty"),
        (deep_handler, "handler deeper than instruction 1"),
    ],
)
def test_what_could_corrupt_the_interpreter_does_not_verify(write, why):
    with pytest.raises(InternalError, match=why):
        interpreted(write)
