"""Redo goes on at the start of the failing statement, skip behind it."""

from __future__ import annotations

from daifu_bc import Redo, Skip
from whole.crash_at import Items, Manager, crash_at

# Redo.


@crash_at("b", Redo(), ["before", "a", "a", "b", "after"])
def test_redo_runs_the_statement_from_its_start(out):
    out("before")
    x = out("a") + out("b")
    out("after")
    return x


@crash_at((1, "b"), Redo(), [(0, "a"), (0, "b"), (1, "a"), (1, "a"), (1, "b"), (2, "a"), (2, "b")])
def test_redo_in_a_loop_keeps_the_item(out):
    for i in range(3):
        value = [out((i, "a")), out((i, "b"))]


@crash_at("b", Redo(), ["enter m", "a", "a", "b", "exit m"])
def test_redo_inside_with_does_not_enter_again(out):
    with Manager(out):
        (out("a"), out("b"))


@crash_at("enter m", Redo(), ["made", "made", "enter m", "body", "exit m"])
def test_redo_of_a_with_statement_makes_the_manager_again(out):
    def make():
        out("made")
        return Manager(out)

    with make():
        out("body")


@crash_at("b", Redo(), ["a", "a", "b", "finally"])
def test_redo_inside_try_runs_no_finally_before(out):
    try:
        return out("a") + out("b")
    finally:
        out("finally")


@crash_at(2, Redo(), ["start", 0, 1, "start", 0, 1, 2])
def test_redo_of_a_statement_with_a_comprehension_builds_it_anew(out):
    found = [out("start"), [out(i) for i in range(3)]]
    return found


@crash_at(2, Redo(), [0, 1, 2])
def test_redo_inside_a_generator_expression(out):
    return list(out(i) for i in range(3))


@crash_at("b", Redo(), ["a", "a", "b", "c"])
async def test_redo_inside_a_coroutine(out):
    async def call(value):
        return value

    x = await call(out("a")) + await call(out("b"))
    out("c")


@crash_at("b", Redo(), ["x", "a", "a", "b"])
def test_redo_inside_a_class_body(out):
    class Made:
        x = out("x")
        y = out("a") + out("b")

    return Made


# Skip.


@crash_at(2, Skip(), [1, 3])
def test_skip_goes_on_behind_the_statement(out):
    out(1)
    out(2)
    out(3)


@crash_at(2, Skip(), [1, 3], result=(1, "old"))
def test_skip_leaves_the_target_as_it_was(out):
    y = "old"
    x = out(1)
    y = out(2)
    out(3)
    return x, y


@crash_at((1, "a"), Skip(), [(0, "a"), (0, "b"), (1, "b"), (2, "a"), (2, "b")])
def test_skip_in_a_loop_goes_on_in_the_same_iteration(out):
    for i in range(3):
        out((i, "a"))
        out((i, "b"))


@crash_at((1, "b"), Skip(), [(0, "a"), (0, "b"), (1, "a"), (2, "a"), (2, "b"), "else"])
def test_skip_of_the_last_statement_of_a_loop_body_asks_for_the_next_item(out):
    for i in range(3):
        out((i, "a"))
        out((i, "b"))
    else:
        out("else")


@crash_at(1, Skip(), [0, "after 0", "after 1", 2, "after 2"])
def test_skip_in_a_while_loop(out):
    i = 0
    while i < 3:
        out(i)
        out(f"after {i}")
        i += 1


@crash_at("last", Skip(), ["enter m", "first", "exit m", "after"])
def test_skip_of_the_last_statement_of_a_with_leaves_it_once(out):
    with Manager(out):
        out("first")
        out("last")
    out("after")


@crash_at("enter m", Skip(), ["after"])
def test_skip_of_a_with_header_skips_its_body(out):
    with Manager(out):
        out("body")
    out("after")


@crash_at("body", Skip(), ["else", "finally", "after"])
def test_skip_of_the_body_of_a_try_goes_to_its_else(out):
    try:
        out("body")
    except KeyError:
        out("handler")
    else:
        out("else")
    finally:
        out("finally")
    out("after")


@crash_at("handler", Skip(), ["finally", "after"])
def test_skip_inside_an_except_clause_leaves_it(out):
    try:
        {}["missing"]
    except KeyError:
        out("handler")
    finally:
        out("finally")
    out("after")


@crash_at("finally", Skip(), ["body", "after"])
def test_skip_inside_finally(out):
    try:
        out("body")
    finally:
        out("finally")
    out("after")


@crash_at("test", Skip(), ["after"])
def test_skip_of_an_if_header_skips_its_branches(out):
    if out("test"):
        out("yes")
    else:
        out("no")
    out("after")


@crash_at((1, "test"), Skip(), [(0, "test"), 0, (2, "test"), 2, "after"])
def test_skip_of_an_if_header_that_ends_a_loop_body_asks_for_the_next_item(out):
    for i in range(3):
        if out((i, "test")):
            out(i)
    out("after")


@crash_at("enter 1", Skip(), ["enter 0", 0, "exit 0", "enter 2", 2, "exit 2"])
def test_skip_of_a_with_header_that_ends_a_loop_body_asks_for_the_next_item(out):
    for i in range(3):
        with Manager(out, i):
            out(i)


@crash_at("yes", Skip(), ["test", "after"])
def test_skip_of_the_last_statement_of_a_branch(out):
    if out("test"):
        out("yes")
    else:
        out("no")
    out("after")


@crash_at("next 2", Skip(), ["next 1", 1, "after"])
def test_skip_of_a_loop_header_leaves_the_loop(out):
    for item in Items(out, 1, 2, 3):
        out(item)
    out("after")


@crash_at(1, Skip(), ["after"], result="old")
def test_skip_of_a_statement_with_a_comprehension_leaves_its_target_unchanged(out):
    found = "old"
    found = [out(i) for i in (1, 2, 3)]
    out("after")
    return found


@crash_at("last", Skip(), ["first"], result=None)
def test_skip_of_the_last_statement_of_a_function_returns_none(out):
    out("first")
    return out("last")


@crash_at("b", Skip(), ["a", "c"], result=["a", "c"])
def test_skip_inside_a_generator_yields_nothing_for_the_statement(out):
    yield out("a")
    yield out("b")
    yield out("c")


@crash_at("b", Skip(), ["a", "c"])
async def test_skip_inside_a_coroutine(out):
    async def call(value):
        return out(value)

    await call("a")
    await call("b")
    await call("c")


@crash_at("y", Skip(), ["x", "z"], result=["x", "z"])
def test_skip_inside_a_class_body(out):
    class Made:
        x = out("x")
        y = out("y")
        z = out("z")

    return [name for name in vars(Made) if len(name) == 1]


@crash_at("b", Skip(), ["a", "c"])
def test_skip_inside_a_method(out):
    class Made:
        def method(self):
            out("a")
            self.b = out("b")
            out("c")

    Made().method()


@crash_at((1, 1), Redo(), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_redo_inside_a_generator_expression_of_two_loops(out):
    return list(out((i, j)) for i in range(2) for j in range(2))


@crash_at("next 2", Redo())
def test_redo_of_the_header_of_a_generator_expression_asks_again(out):
    return list(item for item in Items(out, 1, 2, 3))


@crash_at("b1", Redo(), ["a0", "b0", "a1", "a1", "b1"])
def test_redo_of_the_condition_of_a_generator_expression(out):
    return list(i for i in range(2) if [out(f"a{i}"), out(f"b{i}")])
