"""Facts of the interpreter that are seen by building code objects by hand and running them."""

from __future__ import annotations

import dis
import sys

import pytest

from daifu_bc.interpreter import behavior
from interpreter.by_hand import assembled


def call(arguments):
    """Where the NULL of a call stands: before or behind its callable, which is pushed by `arguments`."""
    null = ("PUSH_NULL", 0)
    return [arguments, null] if behavior.null_follows_callable else [null, arguments]


START = ("RESUME", 0)
RETURN = ("RETURN_VALUE", 0)


def test_a_call_wants_its_null_where_the_fact_says_so():
    function = assembled(START, *call(("LOAD_CONST", 0)), ("CALL", 0), RETURN, consts=(dict,))
    assert function() == {}


def test_code_of_the_compiler_has_its_null_where_the_fact_says_so():
    def program(callee):
        return callee()

    names = [one.opname for one in dis.get_instructions(program) if one.opname.startswith(("PUSH_NULL", "LOAD_FAST"))]
    assert (names[-1] == "PUSH_NULL") is behavior.null_follows_callable


def test_a_handler_gets_the_slots_of_its_depth_then_lasti_then_the_exception():
    # [3, 4, 1, 0] -> the division fails -> depth 1: [3], lasti, exception
    function = assembled(
        START,
        ("LOAD_CONST", 0),
        ("LOAD_CONST", 1),
        ("LOAD_CONST", 2),
        ("BINARY_OP", 11),
        RETURN,
        ("SWAP", 2),  # the handler: exception and lasti change places
        ("POP_TOP", 0),
        ("BUILD_TUPLE", 2),
        RETURN,
        rows=[(4, 5, 6, 1, True)],
        consts=(3, 1, 0),
    )
    kept, exception = function()
    assert kept == 3
    assert type(exception) is ZeroDivisionError


@pytest.mark.skipif(behavior.lasti_is_tagged, reason="storing it would kill this interpreter: see tests/fatal")
def test_lasti_is_an_integer_where_the_fact_says_so():
    function = assembled(
        START,
        ("LOAD_CONST", 0),
        ("LOAD_CONST", 1),
        ("BINARY_OP", 11),
        RETURN,
        ("SWAP", 2),
        RETURN,
        rows=[(3, 4, 5, 0, True)],
        consts=(1, 0),
    )
    assert function() in (3, 4)


def test_store_of_null_unbinds_and_load_and_clear_pushes_it_back():
    function = assembled(
        START,
        ("LOAD_CONST", 0),
        ("STORE_FAST", 0),
        ("PUSH_NULL", 0),
        ("STORE_FAST", 0),  # the local is unbound now
        ("LOAD_FAST_AND_CLEAR", 0),  # NULL again
        ("LOAD_CONST", 0),
        ("STORE_FAST", 0),
        ("STORE_FAST", 0),  # the NULL: unbound
        ("LOAD_FAST_CHECK", 0),
        RETURN,
        consts=(5,),
        locals_=("x",),
    )
    with pytest.raises(UnboundLocalError):
        function()


def test_f_locals_tells_which_spilled_slots_were_null():
    function = assembled(
        START,
        ("LOAD_CONST", 0),
        ("STORE_FAST", 0),
        ("PUSH_NULL", 0),
        ("STORE_FAST", 1),
        *call(("LOAD_CONST", 1)),
        ("CALL", 0),
        RETURN,
        consts=(5, lambda: dict(sys._getframe(1).f_locals)),
        locals_=("bound", "null"),
    )
    assert function() == {"bound": 5}


def test_an_outer_handler_with_lasti_can_raise_again_and_the_traceback_stays():
    function = assembled(
        START,
        ("LOAD_CONST", 0),
        ("LOAD_CONST", 1),
        ("BINARY_OP", 11),
        RETURN,
        ("RERAISE", 1),
        rows=[(3, 4, 5, 0, True)],
        consts=(1, 0),
    )
    with pytest.raises(ZeroDivisionError) as caught:
        function()
    entries = [entry for entry in caught.traceback if entry.frame.raw.f_code is function.__code__]
    assert len(entries) == 1


def test_exceptions_of_inlined_callees_find_their_handler_one_unit_early_where_the_fact_says_so():
    """The handler covers the CALL alone, or begins one unit earlier: the first must miss a Python callee's failure."""

    def fails():
        raise KeyError

    def covering(first):
        body = [START, *call(("LOAD_CONST", 0)), ("CALL", 0), RETURN, ("POP_TOP", 0), ("LOAD_CONST", 1), RETURN]
        return assembled(*body, rows=[(first, 4, 5, 0, False)], consts=(fails, "handled"))

    early, exact = covering(2), covering(3)
    for _ in range(30):  # until the call is specialised: then the callee is inlined
        assert early() == "handled"
        try:
            found = exact()
        except KeyError:
            found = "missed"
    assert (found == "missed") is behavior.handler_is_looked_up_early


def test_prefixed_jumps_land_where_four_units_say():
    """What unfinished procedures enter with: a jump of always four code units."""
    function = assembled(
        START,
        ("EXTENDED_ARG", 0),
        ("EXTENDED_ARG", 0),
        ("EXTENDED_ARG", 0),
        ("JUMP_FORWARD", 2),
        ("LOAD_CONST", 0),
        RETURN,
        ("LOAD_CONST", 1),
        RETURN,
        consts=("missed", "landed"),
    )
    assert function() == "landed"


def test_copy_of_null_is_safe_where_the_fact_says_so():
    if not behavior.copy_of_null_is_safe:
        pytest.skip("it would kill this interpreter: see tests/fatal")
    function = assembled(
        START,
        ("PUSH_NULL", 0),
        ("COPY", 1),
        ("STORE_FAST", 0),
        ("STORE_FAST", 0),
        ("LOAD_CONST", 0),
        RETURN,
        consts=("survived",),
        locals_=("x",),
    )
    assert function() == "survived"
