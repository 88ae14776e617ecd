"""`crash.locals`: what is assigned and deleted there holds when the run goes on, for variables of every kind."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import At, Redo, Retry, Skip
from whole.crash_at import Out, drive


def edited(program, *args, edit, restart=Retry(), frame=None, keep="calls"):
    """The result of a program whose first crash's variables are edited."""
    asked = []

    def policy(crash):
        if asked:
            return None
        asked.append(crash)
        edit((crash if frame is None else crash.frames[frame]).locals)
        return restart if frame is None else At(frame, restart)

    daifu_bc.protect(program, on_crash=policy, scope="nested", keep=keep)
    return drive(program, *args)


def test_plain_variables():
    def program(out, a=1):
        b = 2
        out("x")
        return a, b

    assert edited(program, Out("x"), edit=lambda names: names.update(a=10, b=20)) == (10, 20)


def test_the_retried_instruction_reads_the_new_value():
    def program(out):
        value = "x"
        return out(value)

    assert edited(program, Out("x"), edit=lambda names: names.update(value="y")) == "y"


def test_a_name_that_was_unbound_can_be_bound():
    def program(out):
        out("x")
        if False:
            late = 1
        return late

    assert edited(program, Out("x"), edit=lambda names: names.update(late=5)) == 5


def test_cell_variables_are_seen_by_closures():
    def program(out):
        value = 1

        def read():
            return value

        out("x")
        return value, read()

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5)) == (5, 5)


def test_free_variables_are_seen_by_the_outer_function():
    def program(out):
        value = 1

        def inner():
            out("x")
            return value

        return inner(), value

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5)) == (5, 5)


def test_an_argument_that_is_a_cell():
    def program(out, value=1):
        read = lambda: value
        out("x")
        return value, read()

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5)) == (5, 5)


def test_a_cell_that_was_unbound_can_be_bound():
    def program(out):
        def read():
            return value

        out("x")
        if False:
            value = 1
        return read()

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5)) == 5


def test_the_loop_variable_is_read_afresh_like_every_name():
    def program(out):
        seen = []
        for i in range(2):
            seen.append((i, out("x"), i))
        return seen

    assert edited(program, Out("x"), edit=lambda names: names.update(i=9)) == [(9, "x", 9), (1, "x", 1)]


def test_with_redo_the_whole_statement_reads_the_new_value():
    def program(out):
        seen = []
        for i in range(3):
            seen.append((i, out(("x", 1)) and i))
        return seen

    assert edited(program, Out(("x", 1)), edit=lambda names: names.update(i=9), restart=Redo())[0] == (9, 9)


def test_variables_of_a_comprehension():
    def program(out):
        return [(i, out(i)) for i in range(3)]

    seen = []

    def edit(names):
        seen.append(names.get("i"))

    assert edited(program, Out(1), edit=edit) == [(0, 0), (1, 1), (2, 2)]
    assert seen in ([1], [None])


def test_variables_of_a_generator():
    def program(out):
        total = 0
        for i in range(3):
            total += out(i)
            yield total

    assert edited(program, Out(1), edit=lambda names: names.update(total=100)) == [0, 101, 103]


def test_variables_of_a_coroutine():
    async def program(out):
        value = 1
        await nothing()
        out("x")
        return value

    async def nothing():
        return None

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5)) == 5


def test_names_of_a_class_body():
    def program(out):
        class Made:
            a = 1
            b = out("x")
            c = a + 1

        return Made.a, Made.c, Made.extra

    assert edited(program, Out("x"), edit=lambda names: names.update(a=10, extra=3)) == (10, 11, 3)


def test_variables_of_an_outer_frame_that_goes_on_by_itself():
    def program(out):
        def inner():
            return out("x")

        value = 1
        return inner(), value

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5), frame=1) == ("x", 5)


def test_variables_of_an_outer_frame_while_the_inner_one_is_restarted():
    def program(out):
        def inner():
            return out("x")

        plain, cell = 1, 2
        read = lambda: cell
        return inner(), plain, cell, read()

    def policy(crash):
        crash.frames[1].locals["plain"] = 10
        crash.frames[1].locals["cell"] = 20
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(Out("x")) == ("x", 10, 20, 20)


def test_deleted_names_are_unbound():
    def program(out):
        a, b = 1, 2
        out("x")
        try:
            return a
        except UnboundLocalError:
            return "unbound", b

    def edit(names):
        del names["a"]
        assert "a" not in names
        with pytest.raises(KeyError):
            names["a"]
        with pytest.raises(KeyError):
            del names["a"]

    assert edited(program, Out("x"), edit=edit) == ("unbound", 2)


def test_a_deleted_cell_is_unbound_in_closures():
    def program(out):
        value = 1

        def read():
            return value

        out("x")
        try:
            return read()
        except NameError:
            return "unbound"

    def edit(names):
        del names["value"]

    assert edited(program, Out("x"), edit=edit) == "unbound"


def test_a_name_that_is_deleted_and_bound_again():
    def program(out):
        a = 1
        out("x")
        return a

    def edit(names):
        del names["a"]
        names["a"] = 2

    assert edited(program, Out("x"), edit=edit) == 2


def test_variables_are_read_afresh_each_time():
    def program(out):
        items = [1]
        out("x")
        return items

    def edit(names):
        names["items"].append(2)
        names["items"] = names["items"] + [3]
        assert names["items"] == [1, 2, 3]
        assert dict(names)["items"] is names["items"]
        assert len(names) == len(list(names)) == 2

    assert edited(program, Out("x"), edit=edit) == [1, 2, 3]


def test_names_that_the_function_does_not_have_are_refused_or_live_with_the_crash():
    def program(out):
        out("x")
        return sorted(name for name in ("a",) if name in globals())

    def edit(names):
        try:
            names["unknown"] = 1
        except KeyError:
            return
        assert names["unknown"] == 1

    assert edited(program, Out("x"), edit=edit) == []


def test_hidden_names_are_not_shown():
    def program(out):
        return [out(1), [out(i) for i in (2, 3)], out(4)]

    def edit(names):
        assert set(names) <= {"out", "i"}

    assert edited(program, Out(4), edit=edit, keep="all") == [1, [2, 3], 4]
    assert edited(program, Out(3), edit=edit) == [1, [2, 3], 4]


def test_variables_of_more_than_255_locals():
    lines = [f"    v{i} = {i}" for i in range(300)]
    text = "\n".join(["def program(out):", *lines, "    out('x')", "    return v0 + v299"])
    namespace = {}
    exec(text, namespace)
    assert edited(namespace["program"], Out("x"), edit=lambda names: names.update(v299=1000)) == 1000


def test_skipping_keeps_what_was_assigned():
    def program(out):
        value = 1
        value = out("x")
        return value

    assert edited(program, Out("x"), edit=lambda names: names.update(value=5), restart=Skip()) == 5
