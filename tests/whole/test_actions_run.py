"""`crash.run`: code that runs as if it were written at the crash."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import At, Retry
from whole.crash_at import Boom, Out, drive

counter = 0


def acting(program, *args, action, restart=Retry()):
    """The program's result; `action` gets the first crash."""
    asked = []

    def policy(crash):
        if not asked:
            asked.append(action(crash))
        return restart

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    return drive(program, *args), asked[0]


def test_an_expression_gives_its_value():
    def program(out, a=2):
        b = 3
        return out("x"), b

    result, value = acting(program, Out("x"), action=lambda crash: crash.run("a * b"))
    assert (result, value) == (("x", 3), 6)


def test_statements_give_none_and_set_variables():
    def program(out):
        a = 1
        out("x")
        return a

    assert acting(program, Out("x"), action=lambda crash: crash.run("a += 1\na *= 10")) == (20, None)


def test_cells_are_set_and_seen_by_closures():
    def program(out):
        a = 1
        read = lambda: a
        out("x")
        return a, read()

    assert acting(program, Out("x"), action=lambda crash: crash.run("a = 5"))[0] == (5, 5)


def test_free_variables_are_set_in_the_outer_function():
    def program(out):
        a = 1

        def inner():
            out("x")
            return a

        return inner(), a

    assert acting(program, Out("x"), action=lambda crash: crash.run("a = 5"))[0] == (5, 5)


def test_comprehensions_and_nested_functions_see_the_variables():
    def program(out):
        items, factor = [1, 2], 10
        out("x")
        return items

    def action(crash):
        assert crash.run("[item * factor for item in items]") == [10, 20]
        assert crash.run("sum(item * factor for item in items)") == 30
        assert crash.run("sorted(items, key=lambda item: -item * factor)") == [2, 1]
        crash.run("def helper(n):\n    return n * factor\nitems = [helper(item) for item in items]")

    assert acting(program, Out("x"), action=action)[0] == [10, 20]


def test_a_name_read_as_a_global_is_set_in_the_module():
    def program(out):
        out("x")
        return counter

    global counter
    counter = 0
    try:
        assert acting(program, Out("x"), action=lambda crash: crash.run("counter = 5"))[0] == 5
        assert counter == 5
    finally:
        counter = 0


def test_other_names_live_with_the_crash():
    def program(out):
        a = 1
        out("x")
        return a, sorted(name for name in globals() if name == "temporary")

    def action(crash):
        crash.run("temporary = 7")
        assert crash.run("temporary + a") == 8
        crash.run("a = temporary")

    assert acting(program, Out("x"), action=action)[0] == (7, [])


def test_what_it_raises_comes_out_and_what_it_did_before_stays():
    def program(out):
        a = 1
        out("x")
        return a

    def action(crash):
        with pytest.raises(ZeroDivisionError):
            crash.run("a = 2\n1 / 0\na = 3")
        with pytest.raises(SyntaxError):
            crash.run("a = = 3")
        with pytest.raises(NameError):
            crash.run("nowhere")

    assert acting(program, Out("x"), action=action)[0] == 2


def test_its_exceptions_are_never_intercepted():
    out = Out("x")
    asked = []

    def fails():
        raise Boom

    def program(out):
        return out("x"), fails

    def policy(crash):
        asked.append(crash.function)
        with pytest.raises(Boom):
            crash.run("fails()")
        return Retry()

    daifu_bc.protect(fails, scope="nested")
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program(out)
    assert len(asked) == 1


def test_functions_it_defines_are_protected():
    def program(out):
        helper = None
        out("x")
        return helper(out)

    def action(crash):
        crash.run("def helper(out):\n    return ['made', out('y')]")
        return daifu_bc.is_protected(crash.locals["helper"])

    out = Out("x")
    (result, protected) = acting(program, out, action=action)
    assert result == ["made", "y"]
    assert protected


def test_a_crash_in_a_function_that_an_action_defined_is_resumed_there():
    def program(out):
        helper = None
        out("x")
        return helper(out)

    functions = []

    def policy(crash):
        functions.append(crash.function)
        if len(functions) == 1:
            crash.run("def helper(out):\n    first = out('first')\n    out.where = 'y'\n    return first, out('y')")
        else:
            crash.run("out.where = None")
        return Retry()

    out = Out("x")
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    with_helper = program(out)
    assert with_helper == ("first", "y")
    assert functions[-1].endswith("helper") and out.log.count("first") == 1


def test_imports_and_deletions():
    def program(out):
        a, b = 1, 2
        out("x")
        return a, b

    def action(crash):
        crash.run("import math\na = math.floor(2.5)")
        crash.run("del b\nb = 9")

    assert acting(program, Out("x"), action=action)[0] == (2, 9)


def test_in_a_method_self_and_class_are_known():
    def program(out):
        class Made:
            def __init__(self):
                self.value = 1

            def method(self, out):
                out("x")
                return self.value, __class__.__name__

        return Made().method(out)

    def action(crash):
        return crash.run("self.value = 5\nself.kind = __class__") or crash.run("self.kind.__name__")

    assert acting(program, Out("x"), action=action) == ((5, "Made"), "Made")


def test_in_an_outer_frame():
    def program(out):
        def inner():
            return out("x")

        a = 1
        return inner(), a

    def action(crash):
        return crash.frames[1].run("a = 5\n") or crash.frames[1].run("a")

    assert acting(program, Out("x"), action=action, restart=At(1, Retry())) == (("x", 5), 5)


def test_in_a_class_body_and_in_a_generator():
    def program(out):
        class Made:
            a = 1
            out("x")
            b = a

        return Made.b

    assert acting(program, Out("x"), action=lambda crash: crash.run("a = 5"))[0] == 5

    def items(out):
        for i in range(3):
            yield out(i)

    assert acting(items, Out(1), action=lambda crash: crash.run("out.log.append('acted')"))[0] == [0, 1, 2]


def test_await_is_refused_in_words():
    async def program(out):
        return out("x")

    def action(crash):
        with pytest.raises((SyntaxError, daifu_bc.DaifuError)):
            crash.run("await other()")

    assert acting(program, Out("x"), action=action)[0] == "x"
