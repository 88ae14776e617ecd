"""What a crash says of itself: function, file, line, offset, source of statement and expression, the exception."""

from __future__ import annotations

import dis
import traceback

import pytest

import daifu_bc
from daifu_bc import Retry
from whole.crash_at import Boom, Items, Manager, Out, drive


def shown(program, *args, fields=("statement", "expression")):
    """Those fields of the first crash, as presented."""
    seen = []

    def policy(crash):
        seen.append(tuple(getattr(crash, field) for field in fields))
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    drive(program, *args)
    return seen[0]


def test_statement_and_expression():
    def program(out):
        x = [out(1), out( 2 ) + out(3)]  # a comment
        return x

    assert shown(program, Out(2)) == ("x = [out(1), out( 2 ) + out(3)]", "out( 2 )")


def test_of_a_statement_of_several_lines():
    def program(out):
        return out(
            out(1)
            + out(2),
        )

    statement, expression = shown(program, Out(3))
    assert statement.startswith("return out(") and statement.endswith(")")
    assert statement.splitlines()[1].strip() == "out(1)"
    assert expression.startswith("out(\n")


def test_of_a_loop_header():
    def program(out):
        for item in Items(out, 1, 2):
            out(item)

    assert shown(program, Out("next 2")) == ("for item in Items(out, 1, 2):", "Items(out, 1, 2)")


def test_of_a_with_header():
    def program(out):
        with Manager(out) as m, Manager(out, "n"):
            out("body")

    statement, expression = shown(program, Out("enter n"))
    assert statement == 'with Manager(out) as m, Manager(out, "n"):'
    assert expression == 'Manager(out, "n")'


def test_of_an_if_header_and_of_a_while_header():
    def program(out):
        if out(1) and out(2):
            pass
        while out(3) != 3:
            pass

    assert shown(program, Out(2)) == ("if out(1) and out(2):", "out(2)")
    assert shown(program, Out(3)) == ("while out(3) != 3:", "out(3)")


def test_of_an_operator():
    class Number:
        failed = False

        def __add__(self, other):
            if not Number.failed:
                Number.failed = True
                raise_boom()
            return other

    def program(number):
        return [(number + 1) * 2]

    assert shown(program, Number()) == ("return [(number + 1) * 2]", "number + 1")


def raise_boom():
    raise Boom


def test_of_a_comprehension():
    def program(out):
        return [out(i) for i in range(3) if out(-i) < 1]

    assert shown(program, Out(-1))[1] == "out(-i)"


def test_of_a_lambda_and_a_nested_function():
    def program(out):
        def inner():
            return (lambda x: [out(x)])(5)

        return inner()

    function, expression = shown(program, Out(5), fields=("function", "expression"))
    assert function.endswith("program.<locals>.inner.<locals>.<lambda>")
    assert expression == "out(x)"


def test_names_are_those_of_the_original():
    class Made:
        def method(self, out):
            return out(1)

    def program(out):
        return Made().method(out)

    daifu_bc.protect(Made.method, scope="nested")
    assert shown(program, Out(1), fields=("function", "filename")) == (Made.method.__qualname__, __file__)


def test_lineno_is_that_of_the_failing_instruction():
    def program(out):
        return [
            out(1),
            out(2),
        ]

    assert shown(program, Out(2), fields=("lineno",))[0] == program.__code__.co_firstlineno + 3


@pytest.mark.parametrize("keep", ["calls", "all"])
def test_offset_is_a_call_of_the_original_code(keep):
    def program(out):
        total = 0
        for i in range(300):
            total += out(i) + out(-i)
        return total

    original = program.__code__
    seen = []

    def policy(crash):
        seen.append((crash.offset, crash.lineno, crash.expression))
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested", keep=keep)
    program(Out(-7))
    offset, lineno, expression = seen[0]
    failing = next(one for one in dis.get_instructions(original) if one.offset == offset)
    assert failing.opname == "CALL"
    assert (failing.positions.lineno, expression) == (lineno, "out(-i)")


def test_fields_after_a_recovery_are_those_of_the_original_too():
    call = {1, 3}

    def fail(value):
        if value in call:
            call.remove(value)
            raise Boom
        return value

    def program():
        a = fail(1)
        b = fail(2) + fail(3)
        return a + b

    seen = []

    def policy(crash):
        seen.append((crash.function, crash.lineno, crash.expression, crash.offset, sorted(crash.locals)))
        return Retry()

    original = program.__code__
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program()
    assert [one[2] for one in seen] == ["fail(1)", "fail(3)"]
    assert [one[1] - original.co_firstlineno for one in seen] == [1, 2]
    assert all(one[3] in {one.offset for one in dis.get_instructions(original)} for one in seen)
    assert seen[1][4] == ["a", "call", "fail"] or seen[1][4] == ["a", "fail"]


def test_globals_are_the_functions_module():
    def program(out):
        return out(1)

    assert shown(program, Out(1), fields=("globals",))[0] is globals()


def test_the_exceptions_traceback_is_untouched():
    def program(out):
        return library(out)

    seen = []

    def policy(crash):
        names = [entry.name for entry in traceback.extract_tb(crash.exception.__traceback__)]
        seen.append((type(crash.exception), crash.exception.args, names))
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program(Out("x"))
    assert seen == [(Boom, ("x",), ["program", "library", "__call__"])]


def library(out):
    return out("x")


def test_without_source_it_can_still_be_decided():
    namespace = {}
    exec("def program(out):\n    return [out(1), out(2)]", namespace)
    assert shown(namespace["program"], Out(2), fields=("statement", "expression", "lineno")) == ("", "", 2)


def test_reprs_name_the_place():
    def program(out):
        for i in range(1):
            return [out(1), out(2)]

    seen = []

    def policy(crash):
        seen.extend(map(repr, [crash, crash.frames[0], crash.loops[0], crash.finished[0], crash.locals]))
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    program(Out(2))
    assert "Boom" in seen[0] and "program" in seen[0]
    assert "for i in range(1):" in seen[2]
    assert "out(1)" in seen[3]
