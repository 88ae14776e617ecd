"""Facts of the interpreter whose violation kills it: why the engine does what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from daifu_bc.interpreter import behavior
from fatal.in_subprocess import run

ASSEMBLE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from interpreter.by_hand import assembled
"""


def ends(text):
    """Run a program that ends by printing "survived"."""
    return run(ASSEMBLE + text + "\nprint('survived')\n")


def test_copy_of_null_kills_where_the_fact_says_so():
    ended = ends(
        """
function = assembled(
    ("RESUME", 0), ("PUSH_NULL", 0), ("COPY", 1), ("STORE_FAST", 0), ("STORE_FAST", 0),
    ("LOAD_CONST", 0), ("RETURN_VALUE", 0), locals_=("x",))
function()
"""
    )
    assert ("survived" in ended.output) is behavior.copy_of_null_is_safe, ended


def test_building_a_tuple_over_null_kills():
    ended = ends(
        """
function = assembled(("RESUME", 0), ("PUSH_NULL", 0), ("LOAD_CONST", 0), ("BUILD_TUPLE", 2), ("RETURN_VALUE", 0))
for item in function():
    hash(item)
"""
    )
    assert ended.killed, ended


def test_reading_an_unbound_local_unchecked_kills_or_is_wrong():
    ended = ends(
        """
function = assembled(("RESUME", 0), ("LOAD_FAST", 0), ("RETURN_VALUE", 0), locals_=("x",))
try:
    repr(function())
except UnboundLocalError:
    print("checked")
"""
    )
    assert ended.killed or "checked" not in ended.output, ended


@pytest.mark.skipif(not behavior.lasti_is_tagged, reason="it is an integer here: see tests/interpreter")
def test_storing_and_using_lasti_kills_where_it_is_tagged():
    ended = ends(
        """
function = assembled(
    ("RESUME", 0), ("LOAD_CONST", 0), ("LOAD_CONST", 1), ("BINARY_OP", 11), ("RETURN_VALUE", 0),
    ("POP_TOP", 0), ("STORE_FAST", 0), ("LOAD_FAST", 0), ("RETURN_VALUE", 0),
    rows=[(3, 4, 5, 0, True)], consts=(1, 0), locals_=("x",))
value = function()
print("type", type(value))
"""
    )
    assert ended.killed or "survived" not in ended.output, ended


def test_entering_code_one_instruction_late_kills():
    ended = ends(
        """
function = assembled(
    ("RESUME", 0), ("JUMP_FORWARD", 1), ("LOAD_CONST", 0), ("LOAD_CONST", 0), ("BINARY_OP", 0), ("RETURN_VALUE", 0),
    consts=(1,))
repr(function())
"""
    )
    assert ended.killed, ended


def test_the_helper_itself_survives_what_is_right():
    ended = ends(
        """
function = assembled(("RESUME", 0), ("LOAD_CONST", 0), ("RETURN_VALUE", 0), consts=(5,))
assert function() == 5
"""
    )
    assert ended.output.endswith("survived\n") and not ended.killed, ended
