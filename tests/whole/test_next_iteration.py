"""Next-iteration gives up the rest of an iteration: of the innermost loop, or of one further out."""

from __future__ import annotations

import daifu_bc
from daifu_bc import NextIteration, Redo
from whole.crash_at import Boom, Items, Manager, crash_at


@crash_at((1, "a"), NextIteration(), [(0, "a"), (0, "b"), (2, "a"), (2, "b"), "else"])
def test_the_rest_of_the_iteration_is_given_up(out):
    for i in range(3):
        out((i, "a"))
        out((i, "b"))
    else:
        out("else")


@crash_at("next 2", NextIteration(), ["next 1", 1, "next 2", 2, "next 3", 3])
def test_the_header_that_failed_is_asked_again(out):
    for item in Items(out, 1, 2, 3):
        out(item)


@crash_at((0, 1), NextIteration(0), [(0, 0), (0, 2), "end 0", (1, 0), (1, 1), (1, 2), "end 1"])
def test_of_the_inner_loop(out):
    for i in range(2):
        for j in range(3):
            out((i, j))
        out(f"end {i}")


@crash_at((0, 1), NextIteration(1), [(0, 0), (1, 0), (1, 1), (1, 2), "end 1"])
def test_of_the_outer_loop(out):
    for i in range(2):
        for j in range(3):
            out((i, j))
        out(f"end {i}")


@crash_at((0, 1), NextIteration(2), refused="loop 2 of 2")
def test_a_loop_that_is_not_there_is_refused(out):
    for i in range(2):
        for j in range(3):
            out((i, j))


@crash_at(1, NextIteration(), refused="there is no loop")
def test_without_a_loop_it_is_refused(out):
    out(1)


@crash_at(2, NextIteration(), [("test", 0), 1, ("test", 1), ("test", 2), 3, ("test", 3)])
def test_of_a_while_loop_its_condition_is_tested(out):
    n = 0
    while out(("test", n))[1] < 3:
        n += 1
        out(n)


@crash_at(2, NextIteration(), [1, "end", "end", 3, "end"])
def test_of_an_endless_while_loop(out):
    items = [1, 2, 3]
    while True:
        try:
            if not items:
                break
            out(items.pop(0))
        finally:
            if items or out.log[-1] == 3:
                out("end")


@crash_at((1, "a"), NextIteration(), ["enter 0", (0, "a"), "exit 0", "enter 1", "exit 1 Boom", "enter 2", (2, "a"), "exit 2"])  # noqa: E501
def test_a_with_block_is_left_on_the_way(out):
    for i in range(3):
        with Manager(out, i):
            out((i, "a"))


@crash_at((1, "a"), NextIteration(), [(0, "a"), "finally 0", "finally 1", (2, "a"), "finally 2"])
def test_finally_runs_on_the_way(out):
    for i in range(3):
        try:
            out((i, "a"))
        finally:
            out(f"finally {i}")


@crash_at("handler 1", NextIteration(), ["handler 0", "handler 2"])
def test_out_of_an_except_clause(out):
    for i in range(3):
        try:
            {}[i]
        except KeyError:
            out(f"handler {i}")


@crash_at(1, NextIteration(), [0, 2], result=[0, 2])
def test_of_a_comprehension_the_item_is_left_out(out):
    return [out(i) for i in range(3)]


@crash_at((1, 1), NextIteration(1), [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)], result=[[(0, 0), (0, 1)], [(2, 0), (2, 1)]])  # noqa: E501
def test_of_the_outer_of_two_nested_comprehensions(out):
    return [[out((i, j)) for j in range(2)] for i in range(3)]


@crash_at(1, NextIteration(), [0, 2], result={0: 0, 2: 2})
def test_of_a_dict_comprehension(out):
    return {i: out(i) for i in range(3)}


@crash_at(1, NextIteration(), [0, 2], result=[0, 2])
def test_of_a_generator_expression_the_item_is_left_out(out):
    return list(out(i) for i in range(3))


@crash_at(1, NextIteration(), [0, 2], result=[0, 2])
def test_of_the_loop_of_a_generator(out):
    for i in range(3):
        yield out(i)


@crash_at(1, NextIteration(), [0, 2, "end"])
async def test_of_an_async_for_loop(out):
    async def items():
        for i in range(3):
            yield i

    async for i in items():
        out(i)
    out("end")


@crash_at(1, NextIteration(), [0, 2], result=[0, 2])
async def test_of_an_async_comprehension(out):
    async def items():
        for i in range(3):
            yield i

    return [out(i) async for i in items()]


@crash_at(1, NextIteration(), [0, 2], result=(2, [0, 2]))
def test_in_a_class_body(out):
    class Made:
        seen = []
        for i in range(3):
            seen.append(out(i))

    return Made.i, Made.seen


@crash_at(1, NextIteration(), [0, 2])
def test_in_a_closure_that_shares_the_loop_variable(out):
    def read():
        return i

    for i in range(3):
        out(read())


def library():
    """A generator that is not protected: whoever fails in it finishes it."""
    yield 1
    raise Boom("library")


def test_where_the_loop_asks_what_is_dead_it_is_refused_and_a_fresh_iterator_helps():
    reasons = []

    def program():
        return [item for item in library()], list(item for item in library())

    def policy(crash):
        restart = NextIteration() if len(reasons) < 2 else Redo()
        reasons.append(crash.can(restart))
        crash.loops[0].iterator = iter([5])
        return NextIteration()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == ([1, 5], [1, 5])
    assert all("would end in silence" in reason for reason in reasons)


def test_where_a_loop_around_asks_what_is_dead_it_is_refused():
    reasons = []

    def program():
        seen = []
        items = library()
        for item in items:
            seen.append(item)
            next(items)
        return seen

    def policy(crash):
        reasons.append(crash.can(NextIteration()))
        crash.loops[0].iterator = []
        return NextIteration()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == [1]
    assert "would end in silence" in reasons[0]
