"""Pairs of old and new text: what an edit does to a piece of a function that crashed.

In each old text, the call of `two` fails the first time in pass `CRASHED`. `one` has run by then. Events are what the
calls log, `{i}` being the pass. `full`: of a pass in the new text; `rest`: of what is still to come of the crashed pass
in the new text, from where it goes on; `refused`: words of the refusal instead.
"""

# ruff: noqa: E501  (texts are tested as they stand, one on a line)

from __future__ import annotations

from dataclasses import dataclass

CRASHED = 1
OLD = """\
say("a", i)
say("x", two(one(i)))
say("b", i)
"""
OLD_FULL = ["a{i}", "one{i}", "two{i}", "x{i}", "b{i}"]
OLD_BEGUN = ["a{i}", "one{i}"]


@dataclass(frozen=True)
class Pair:
    """An edit, with the sentence that the table of edits has for it."""

    name: str
    row: str
    new: str
    full: list[str]
    rest: list[str]
    old: str = OLD
    old_full: tuple[str, ...] = tuple(OLD_FULL)
    begun: tuple[str, ...] = tuple(OLD_BEGUN)
    refused: str = ""
    at: str = ""  # go on at the line that holds this text
    left: tuple[str, ...] = ()  # events of leaving a block that is gone


def pair(name: str, row: str, new: str, full: str, rest: str, **more) -> Pair:
    """`full` and `rest` as words."""
    return Pair(name, row, new, full.split(), rest.split(), **more)


WITH = {
    "old": 'say("a", i)\nwith m(i):\n    say("x", two(one(i)))\n    say("b", i)\nsay("c", i)\n',
    "old_full": tuple("a{i} enter{i} one{i} two{i} x{i} b{i} exit{i} c{i}".split()),
    "begun": tuple("a{i} enter{i} one{i}".split()),
}
TRY = {
    "old": 'say("a", i)\ntry:\n    say("x", two(one(i)))\nfinally:\n    say("f", i)\nsay("c", i)\n',
    "old_full": tuple("a{i} one{i} two{i} x{i} f{i} c{i}".split()),
}
LOOP = {
    "old": 'say("a", i)\nfor j in three(i):\n    say("x", two(one(i)))\nsay("c", i)\n',
    "old_full": tuple("a{i} three{i} one{i} two{i} x{i} one{i} two{i} x{i} c{i}".split()),
    "begun": tuple("a{i} three{i} one{i}".split()),
}
HANDLER = {
    "old": 'try:\n    fail(i)\nexcept KeyError:\n    say("x", two(one(i)))\n    say("b", i)\nsay("c", i)\n',
    "old_full": tuple("fail{i} one{i} two{i} x{i} b{i} c{i}".split()),
    "begun": tuple("fail{i} one{i}".split()),
}

PAIRS = [
    pair(
        "a_change_further_down", "the failing statement is not changed: goes on at the failing instruction, finished calls are kept",
        'say("a", i)\nsay("x", two(one(i)))\nsay("b2", i)\n',
        "a{i} one{i} two{i} x{i} b2{i}", "two{i} x{i} b2{i}",
    ),
    pair(
        "a_change_further_up", "something further up is changed: listed (`diff`), and not run again",
        'say("a2", i)\nsay("x", two(one(i)))\nsay("b", i)\n',
        "a2{i} one{i} two{i} x{i} b{i}", "two{i} x{i} b{i}",
    ),
    pair(
        "the_statement_is_changed", "the failing statement is changed: goes on at its start",
        'say("a", i)\nsay("y", two(one(i) + 0))\nsay("b", i)\n',
        "a{i} one{i} two{i} y{i} b{i}", "one{i} two{i} y{i} b{i}",
    ),
    pair(
        "the_statement_becomes_two", "the failing statement becomes several: goes on at the first of them",
        'say("a", i)\nvalue = one(i)\nsay("y", two(value))\nsay("b", i)\n',
        "a{i} one{i} two{i} y{i} b{i}", "one{i} two{i} y{i} b{i}",
    ),
    pair(
        "the_statement_is_removed", "the failing statement is removed: goes on at the statement after it",
        'say("a", i)\nsay("b", i)\n',
        "a{i} b{i}", "b{i}",
    ),
    pair(
        "it_and_what_follows_are_removed", "the failing statement and all that follows are removed: goes on with what runs after the block",
        'say("a", i)\n',
        "a{i}", "",
    ),
    pair(
        "a_statement_is_put_in_above", "statements are put in just above it: goes on at the first of them",
        'say("a", i)\nsay("n", i)\nsay("o", i)\nsay("x", two(one(i)))\nsay("b", i)\n',
        "a{i} n{i} o{i} one{i} two{i} x{i} b{i}", "n{i} o{i} one{i} two{i} x{i} b{i}",
    ),
    pair(
        "put_in_above_and_changed", "statements are put in just above it: goes on at the first of them",
        'say("a", i)\nsay("n", i)\nsay("y", two(one(i)), 1)\nsay("b", i)\n',
        "a{i} n{i} one{i} two{i} y{i} b{i}", "n{i} one{i} two{i} y{i} b{i}",
    ),
    pair(
        "a_statement_is_put_in_below", "statements are put in below: they run when it comes to them",
        'say("a", i)\nsay("x", two(one(i)))\nsay("n", i)\nsay("b", i)\n',
        "a{i} one{i} two{i} x{i} n{i} b{i}", "two{i} x{i} n{i} b{i}",
    ),
    pair(
        "wrapped_in_try", "it is wrapped in a new `try`: goes on inside it, finished calls are kept",
        'say("a", i)\ntry:\n    say("x", two(one(i)))\nfinally:\n    say("f", i)\nsay("b", i)\n',
        "a{i} one{i} two{i} x{i} f{i} b{i}", "two{i} x{i} f{i} b{i}",
    ),
    pair(
        "wrapped_in_try_with_more", "it is wrapped in a new `try`: goes on inside it, finished calls are kept",
        'try:\n    say("a", i)\n    say("x", two(one(i)))\nexcept RuntimeError:\n    say("h", i)\nsay("b", i)\n',
        "a{i} one{i} two{i} x{i} b{i}", "two{i} x{i} b{i}",
    ),
    pair(
        "wrapped_in_with", "it is wrapped in a new `with`: goes on at its header",
        'say("a", i)\nwith m(i):\n    say("x", two(one(i)))\nsay("b", i)\n',
        "a{i} enter{i} one{i} two{i} x{i} exit{i} b{i}", "enter{i} one{i} two{i} x{i} exit{i} b{i}",
    ),
    pair(
        "wrapped_in_a_loop", "it is wrapped in a new loop: goes on at its header",
        'say("a", i)\nfor j in range(2):\n    say("x", two(one(i)))\nsay("b", i)\n',
        "a{i} one{i} two{i} x{i} one{i} two{i} x{i} b{i}", "one{i} two{i} x{i} one{i} two{i} x{i} b{i}",
    ),
    pair(
        "wrapped_in_while", "it is wrapped in a new loop: goes on at its header",
        'say("a", i)\nn = 2\nwhile n:\n    n -= 1\n    say("x", two(one(i)))\nsay("b", i)\n',
        "a{i} one{i} two{i} x{i} one{i} two{i} x{i} b{i}", "one{i} two{i} x{i} one{i} two{i} x{i} b{i}",
    ),
    pair(
        "wrapped_in_if", "it is wrapped in a new `if`: goes on at its header",
        'say("a", i)\nif three(i) is None:\n    say("x", two(one(i)))\nsay("b", i)\n',
        "a{i} three{i} b{i}", "three{i} b{i}",
    ),
    pair(
        "a_new_block_around_what_ran", "a new `with`, loop or `if` that also holds statements which have run: refused, `at=LINE` says where to go on",
        'with m(i):\n    say("a", i)\n    say("x", two(one(i)))\nsay("b", i)\n',
        "", "", refused="has run already",
    ),
    pair(
        "at_an_earlier_line", "`at=LINE`, further up: everything from there on runs",
        'say("a2", i)\nsay("y", two(one(i)))\nsay("b", i)\n',
        "a2{i} one{i} two{i} y{i} b{i}", "a2{i} one{i} two{i} y{i} b{i}", at='say("a2"',
    ),
    pair(
        "at_a_later_line", "`at=LINE`, further down: what is between is left out",
        'say("a", i)\nsay("y", two(one(i)))\nsay("b2", i)\n',
        "a{i} one{i} two{i} y{i} b2{i}", "b2{i}", at='say("b2"',
    ),
    pair(
        "a_new_local", "new names: locals, cells or globals, as the new text has them",
        'say("a", i)\nnew = one(i)\nsay("y", two(new))\nsay("b", i, new)\n',
        "a{i} one{i} two{i} y{i} b{i}", "one{i} two{i} y{i} b{i}",
    ),
    pair(
        "a_new_closure_captures_a_local", "a new function captures a local: it shares it with the running frame",
        'say("a", i)\nget = lambda: i\nsay("y", two(one(get())))\nsay("b", get())\n',
        "a{i} one{i} two{i} y{i} b{i}", "one{i} two{i} y{i} b{i}",
    ),
    pair(
        "with_is_kept", "anything, inside loops and `with` blocks: they keep their iterators and managers",
        'say("a", i)\nwith m(i):\n    say("n", i)\n    say("x", two(one(i)))\n    say("b", i)\nsay("c2", i)\n',
        "a{i} enter{i} n{i} one{i} two{i} x{i} b{i} exit{i} c2{i}", "n{i} one{i} two{i} x{i} b{i} exit{i} c2{i}", **WITH,
    ),
    pair(
        "the_with_header_is_changed", "the header of a `with` around it is changed: what was entered stays, the new one counts from the next time",
        'say("a", i)\nwith m(i, "2"):\n    say("x", two(one(i)))\n    say("b", i)\nsay("c", i)\n',
        "a{i} enter2{i} one{i} two{i} x{i} b{i} exit2{i} c{i}", "two{i} x{i} b{i} exit{i} c{i}", **WITH,
    ),
    pair(
        "with_is_gone", "a `with` around it is gone: it is left (`__exit__(None, None, None)`), then the run goes on",
        'say("a", i)\nsay("x", two(one(i)))\nsay("b", i)\nsay("c", i)\n',
        "a{i} one{i} two{i} x{i} b{i} c{i}", "exit{i} two{i} x{i} b{i} c{i}", **WITH,
    ),
    pair(
        "a_second_with_inside", "it is wrapped in a new `with`: goes on at its header",
        'say("a", i)\nwith m(i):\n    with m(i, "2"):\n        say("x", two(one(i)))\n    say("b", i)\nsay("c", i)\n',
        "a{i} enter{i} enter2{i} one{i} two{i} x{i} exit2{i} b{i} exit{i} c{i}",
        "enter2{i} one{i} two{i} x{i} exit2{i} b{i} exit{i} c{i}", **WITH,
    ),
    pair(
        "finally_is_changed", "the `finally` around it is changed: the new one runs",
        'say("a", i)\ntry:\n    say("x", two(one(i)))\nfinally:\n    say("g", i)\nsay("c", i)\n',
        "a{i} one{i} two{i} x{i} g{i} c{i}", "two{i} x{i} g{i} c{i}", **TRY,
    ),
    pair(
        "try_is_gone", "a `try` around it is gone: the run goes on, its clauses are not run",
        'say("a", i)\nsay("x", two(one(i)))\nsay("c", i)\n',
        "a{i} one{i} two{i} x{i} c{i}", "two{i} x{i} c{i}", **TRY,
    ),
    pair(
        "a_clause_is_added", "a clause is added to a `try` around it: it catches from now on",
        'say("a", i)\ntry:\n    say("x", two(one(i)))\nexcept RuntimeError:\n    say("h", i)\nfinally:\n    say("f", i)\nsay("c", i)\n',
        "a{i} one{i} two{i} x{i} f{i} c{i}", "two{i} x{i} f{i} c{i}", **TRY,
    ),
    pair(
        "a_changed_loop_header", "the header of a loop around it is changed: the running iterator goes on",
        'say("a", i)\nfor j in three(i, "2"):\n    say("x", two(one(i)))\nsay("c", i)\n',
        "a{i} three2{i} one{i} two{i} x{i} one{i} two{i} x{i} c{i}", "two{i} x{i} one{i} two{i} x{i} c{i}", **LOOP,
    ),
    pair(
        "at_the_loop_header", "`at=LINE`, the header of a loop: the loop starts anew",
        'say("a", i)\nfor j in three(i, "2"):\n    say("x", two(one(i)))\nsay("c", i)\n',
        "a{i} three2{i} one{i} two{i} x{i} one{i} two{i} x{i} c{i}",
        "three2{i} one{i} two{i} x{i} one{i} two{i} x{i} c{i}", at="for j", **LOOP,
    ),
    pair(
        "the_loop_is_gone", "a loop around it is gone: what is left of this pass runs, once",
        'say("a", i)\nsay("x", two(one(i)))\nsay("c", i)\n',
        "a{i} one{i} two{i} x{i} c{i}", "two{i} x{i} c{i}", **LOOP,
    ),
    pair(
        "the_loop_body_is_changed", "the body of a loop around it is changed: the loop goes on with its next item in the new body",
        'say("a", i)\nfor j in three(i):\n    say("y", two(one(i)), 2)\n    say("n", i)\nsay("c", i)\n',
        "a{i} three{i} one{i} two{i} y{i} n{i} one{i} two{i} y{i} n{i} c{i}",
        "one{i} two{i} y{i} n{i} one{i} two{i} y{i} n{i} c{i}", **LOOP,
    ),
    pair(
        "the_loop_body_ends_at_the_crash", "the failing statement, last of a loop's body, is removed: goes on with the next item",
        'say("a", i)\nfor j in three(i):\n    pass\nsay("c", i)\n',
        "a{i} three{i} c{i}", "c{i}", **LOOP,
    ),
    pair(
        "break_is_put_in", "statements are put in just above it: goes on at the first of them",
        'say("a", i)\nfor j in three(i):\n    break\n    say("x", two(one(i)))\nsay("c", i)\n',
        "a{i} three{i} c{i}", "c{i}", **LOOP,
    ),
    pair(
        "in_a_handler", "anything, inside a handler: the exception that it handles stays",
        'try:\n    fail(i)\nexcept KeyError:\n    say("n", i)\n    say("x", two(one(i)))\n    say(kind(), i)\nsay("c", i)\n',
        "fail{i} n{i} one{i} two{i} x{i} KeyError{i} c{i}", "n{i} one{i} two{i} x{i} KeyError{i} c{i}", **HANDLER,
    ),
    pair(
        "the_handler_is_gone", "a handler around it is gone: the exception that it handled counts as handled",
        'say("x", two(one(i)))\nsay("b", i)\nsay("c", i)\n',
        "one{i} two{i} x{i} b{i} c{i}", "two{i} x{i} b{i} c{i}", **HANDLER,
    ),
]  # fmt: skip

UNCHANGED = pair("unchanged", "", OLD, " ".join(OLD_FULL), "two{i} x{i} b{i}")
REFUSED = {
    "no_python": ('say("a", i\n', "is no Python"),
    "a_yield_in_a_function": ('say("a", i)\nsay("x", (yield))\n', "was a"),
    "into_a_handler": ('try:\n    fail(i)\nexcept KeyError:\n    say("x", two(one(i)))\n', "a handler"),
    "into_a_loop_by_line": ('for j in three(i):\n    say("q", j)\n    say("x", two(one(i)))\n', "its iterator does not exist"),
    "at_no_line": ('say("a", i)\nsay("y", two(one(i)))\n', "begins on line"),
}
