"""Handlers that depend on a condition: told where it is made of plain locals, in doubt handled elsewhere."""

from __future__ import annotations

import pytest

from crash.search_harness import run


def _function(body: str) -> str:
    return "def f(yes=True, no=False, nothing=None, number=3, word='a'):\n" + "\n".join(
        "    " + line for line in body.splitlines()
    )


# The condition, and whether it is true.
CONDITIONS = [
    ("yes", True), ("no", False), ("not yes", False), ("nothing", False), ("nothing is None", True),
    ("nothing is not None", False), ("number is None", False), ("number == 3", True), ("number != 3", False),
    ("number > 2", True), ("number >= 4", False), ("2 < number", True), ("number in (1, 3)", True),
    ("number not in (1, 3)", False), ("'b' in word", False), ("yes and number == 3", True), ("no or not word", False),
    ("yes and not no and nothing is None", True), ("number", True), ("word", True),
]  # fmt: skip
ENDS = [
    "try: boom()\nfinally:\n    len([])\n    if {}: return 1",
    "for number in range(3, 4):\n    try: boom()\n    finally:\n        if {}: break",
    "while True:\n    try: boom()\n    finally:\n        if not ({}): raise\n        break",
    "try: boom()\nexcept KeyError:\n    if not ({}): raise",
    "try: boom()\nexcept KeyError as error:\n    if {}: print(end='')\n    else: raise ValueError from error",
]


@pytest.mark.parametrize(("condition", "true"), CONDITIONS)
@pytest.mark.parametrize("end", ENDS)
def test_a_condition_of_plain_locals_is_told(end: str, condition: str, true: bool) -> None:
    seen = run(_function(end.format(condition)), KeyError())
    assert (seen.escaped is None) == true
    assert (seen.handled is not None) == true


@pytest.mark.parametrize(
    ("before", "condition"),
    [
        ("flags = []", "flags"),  # changes as it is used
        ("def change():\n    nonlocal yes\n    yes = False", "change() or yes"),
        ("flag = type('Flag', (), {'__bool__': lambda self: False})()", "flag"),
        ("class Odd:\n    def __eq__(self, other): return False\nodd = Odd()", "odd == 3"),
        ("global state\nstate = 0", "state"),
        ("import types\nhere = types.SimpleNamespace(open=False)", "here.open"),
        ("", "len(word) == 2"),
    ],
)
def test_any_other_condition_is_in_doubt(before: str, condition: str) -> None:
    seen = run(_function(f"{before}\ntry: boom()\nexcept KeyError:\n    if not ({condition}): raise"), KeyError())
    assert seen.handled is not None and seen.escaped is not None


def test_what_the_handler_stores_before_is_in_doubt() -> None:
    seen = run(_function("try: boom()\nfinally:\n    yes = len([])\n    if yes: return"), KeyError())
    assert seen.handled is not None and seen.escaped is not None


def test_a_condition_that_fails_raises_another() -> None:
    body = "try: boom()\nexcept KeyError:\n    if nothing < 1: pass"
    seen = run(_function(body), KeyError())
    assert seen.escaped is not None


def test_a_generator_behind_a_context_manager_has_its_own_locals() -> None:
    source = """
from contextlib import contextmanager
@contextmanager
def manage(quiet):
    try: yield
    except KeyError:
        if not quiet: raise
def f(quiet):
    manager = manage(quiet)
    with manager: boom()
def loud(): f(False)
def silent(): f(True)
"""
    for call in ("loud", "silent"):
        seen = run(source, KeyError(), call=call)
        assert (seen.handled is None) == (seen.escaped is not None) == (call == "loud")
