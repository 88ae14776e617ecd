"""Jump goes on at a line of the same or an outer block of the function; elsewhere it is refused."""

from __future__ import annotations

from daifu_bc import Jump
from whole.crash_at import Manager, crash_at, jump_to


@crash_at(2, jump_to("out(4)"), [1, 4])
def test_forwards(out):
    out(1)
    out(2)
    out(3)
    out(4)


@crash_at(3, jump_to("out(2)"), [1, 2, 2, 3])
def test_backwards(out):
    out(1)
    out(2)
    out(3)


@crash_at((1, "b"), jump_to('out((i, "a"))'), [(0, "a"), (0, "b"), (1, "a"), (1, "a"), (1, "b"), (2, "a"), (2, "b")])
def test_to_the_start_of_the_loop_body_keeps_the_item(out):
    for i in range(3):
        out((i, "a"))
        out((i, "b"))


@crash_at((0, "b"), jump_to('out("after")'), [(0, "a"), "after"])
def test_out_of_a_loop(out):
    for i in range(3):
        out((i, "a"))
        out((i, "b"))
    out("after")


@crash_at((0, 1), jump_to('out("end")'), [(0, 0), "end", (1, 0), (1, 1), "end"])
def test_out_of_the_inner_loop_only(out):
    for i in range(2):
        for j in range(2):
            out((i, j))
        out("end")


@crash_at("b", jump_to('out("after")'), ["enter m", "exit m Boom", "after"])
def test_out_of_a_with_block_leaves_it(out):
    with Manager(out):
        out("b")
        out("c")
    out("after")


@crash_at("b", jump_to('out("after")'), ["finally", "after"])
def test_out_of_a_try_runs_its_finally(out):
    try:
        out("b")
        out("c")
    finally:
        out("finally")
    out("after")


@crash_at("handler", jump_to('out("after")'), ["after"], result=None)
def test_out_of_an_except_clause(out):
    import sys

    try:
        {}["missing"]
    except KeyError:
        out("handler")
    out("after")
    return sys.exception()


@crash_at("no", jump_to('out("yes")'), ["yes"])
def test_into_another_branch(out):
    if not out:
        out("yes")
    else:
        out("no")


@crash_at("before", jump_to("out(i)"), refused="inside another loop")
def test_into_a_loop_is_refused(out):
    out("before")
    for i in range(3):
        out(i)


@crash_at("before", jump_to('out("body")'), refused="inside another loop or `with` block")
def test_into_a_with_block_is_refused(out):
    out("before")
    with Manager(out):
        out("body")


@crash_at("a", jump_to("# a comment"), refused="no statement of this function begins there")
def test_to_a_comment_is_refused(out):
    out("a")
    # a comment
    out("b")


@crash_at("a", Jump(1), refused="no statement of this function begins there")
def test_to_a_line_of_another_function_is_refused(out):
    out("a")


@crash_at("b", jump_to('yield out("d")'), ["a", "d"], result=["a", "d"])
def test_in_a_generator(out):
    yield out("a")
    yield out("b")
    yield out("c")
    yield out("d")


@crash_at("b", jump_to('out("d")'), ["a", "d"])
async def test_in_a_coroutine(out):
    async def call(value):
        return out(value)

    await call("a")
    x = await call("b"), await call("c")
    out("d")




@crash_at("b", jump_to('d = out("d")'), ["a", "d"], result=["a", "d"])
def test_in_a_class_body(out):
    class Made:
        a = out("a")
        b = out("b")
        c = out("c")
        d = out("d")

    return [name for name in vars(Made) if len(name) == 1]
