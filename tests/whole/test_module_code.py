"""Code that is no plain function: module code run by exec, classes, very long functions, many kinds of targets."""

from __future__ import annotations

import functools

import pytest

import daifu_bc
from daifu_bc import Redo, Retry, Skip, Use
from daifu_bc.transform import Settings, protect_code
from whole.crash_at import Out


def exec_below_an_entry(text, out, restart=Retry()):
    """Run protected module code below an entry; its namespace."""
    code = protect_code(compile(text, "<module text>", "exec"), Settings())
    namespace = {"__name__": "made_here", "out": out}

    def program():
        exec(code, namespace)
        return namespace

    daifu_bc.protect(program, on_crash=lambda crash: restart, scope="nested")
    return program()


TEXT = """
a = out("a")
total = 0
for i in range(3):
    total += out(i)
class Made:
    x = out("x")
    def method(self):
        return out("method"), a
squares = [out(-i) for i in range(2)]
result = Made().method()
"""


@pytest.mark.parametrize("where", ["a", 1, "x", "method", -1])
def test_module_code_is_resumed(where):
    clean, out = Out(), Out(where)
    expected = exec_below_an_entry(TEXT, clean)
    namespace = exec_below_an_entry(TEXT, out)
    assert out.log == clean.log
    for name in ("a", "total", "i", "squares", "result"):
        assert namespace[name] == expected[name]
    assert sorted(namespace) == sorted(expected)


def test_other_restarts_in_module_code():
    assert exec_below_an_entry(TEXT, Out("a"), Use("used"))["a"] == "used"
    out = Out("x")
    exec_below_an_entry("x = out('b'), out('x')\ny = out('y')", out, Redo())
    assert out.log == ["b", "b", "x", "y"]


def test_module_code_that_runs_in_separate_locals():
    code = protect_code(compile("a = out(1)\nb = [out(2), a]", "<text>", "exec"), Settings())

    def program(out):
        names = {}
        exec(code, {"out": out}, names)
        return names

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Out(2)) == {"a": 1, "b": [2, 1]}


def test_a_class_body_with_cells_decorators_and_bases():
    def program(out):
        captured = "captured"

        class Base:
            def __init_subclass__(cls, **keywords):
                out(("subclass", tuple(keywords)))

        @functools.total_ordering
        class Made(Base, key=out("keyword")):
            x = out("x")
            y = [x, captured]

            def __init__(self):
                super().__init__()
                self.z = out("z")

            def __lt__(self, other):
                return False

            class Inner:
                w = out("w")

        return Made().z, Made.y, Made.Inner.w, Made.__qualname__.rpartition(".")[2], Made.__mro__[1] is Base

    clean = Out()
    expected = program(clean)
    for where in ["keyword", "x", "w", "z", ("subclass", ("key",))]:
        out = Out(where)
        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(out) == expected
        assert out.log == clean.log


def long_function(statements):
    lines = [f" total += out({n})" for n in range(statements)]
    namespace = {}
    exec("\n".join(["def program(out):", " total = 0", *lines, " return total"]), namespace)
    return namespace["program"]


def test_a_function_of_20_000_statements():
    program = daifu_bc.protect(long_function(20_000), on_crash=lambda crash: Retry(), scope="nested")
    assert program(Out(19_990)) == sum(range(20_000))


def test_more_than_255_locals_and_constants():
    names = [f"v{n}" for n in range(400)]
    lines = [f" {name} = out({n + 1000})" for n, name in enumerate(names)]
    namespace = {}
    text = ["def program(out):", *lines, " for i in range(2):", "  out(i)", f" return ({', '.join(names)})"]
    exec("\n".join(text), namespace)
    program = daifu_bc.protect(namespace["program"], on_crash=lambda crash: Retry(), scope="nested")
    for where in (1000, 1399, 1):
        assert program(Out(where)) == tuple(range(1000, 1400))


def test_type_parameters():
    def program(out):
        class Box[T: (int, str)]:
            kind = out("kind")

            def get[U](self, value: T, other: U = out("default")) -> tuple[T, U]:
                return out(value), other

        type Pair[A] = tuple[A, A]
        return Box[int]().get(5), Box.__type_params__[0].__name__, Pair.__value__ is not None

    clean = Out()
    expected = program(clean)
    for where in ("kind", "default", 5):
        out = Out(where)
        daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
        assert program(out) == expected
        assert out.log == clean.log


class Targets:
    @staticmethod
    def static(out):
        return out("x")

    @classmethod
    def of_class(cls, out):
        return out("x"), cls.__name__

    @property
    def prop(self):
        return self.out("x")

    def method(self, out, *args, key=None):
        return out("x"), args, key


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    return wrapper


def test_targets_of_all_kinds_are_resumed():
    daifu_bc.protect(Targets, on_crash=lambda crash: Retry(), scope="nested")
    assert Targets.static(Out("x")) == "x"
    assert Targets.of_class(Out("x")) == ("x", "Targets")
    made = Targets()
    made.out = Out("x")
    assert made.prop == "x"
    assert made.method(Out("x"), 1, 2, key=3) == ("x", (1, 2), 3)
    assert functools.partial(made.method, Out("x"))(7) == ("x", (7,), None)

    @decorated
    def function(out):
        return out("x")

    daifu_bc.protect(function, on_crash=lambda crash: Retry(), scope="nested")
    assert function(Out("x")) == "x"


def test_defaults_and_arguments_that_were_changed_are_kept():
    def program(out, a, /, b=2, *rest, c=3, **more):
        a += 1
        rest += (9,)
        out("x")
        return a, b, rest, c, more

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(Out("x"), 1, 5, 6, d=7) == (2, 5, (6, 9), 3, {"d": 7})


def test_unprotected_code_below_is_called_again_as_a_whole():
    out = Out("b")

    def library():
        return [out("a"), out("b")]

    def program(function):
        return function()

    daifu_bc.protect(program, on_crash=lambda crash: Retry(), scope="nested")
    assert program(library) == ["a", "b"]
    assert out.log == ["a", "a", "b"]


def test_skip_of_an_import_that_fails():
    def program():
        math = None
        import module_that_is_nowhere as math

        return math

    daifu_bc.protect(program, on_crash=lambda crash: Skip(), scope="nested")
    assert program() is None


def test_a_failing_del_is_skipped_and_a_missing_global_is_supplied():
    def program(bind=False):
        if bind:
            unknown_here = None
        del unknown_here
        return later_global  # noqa: F821 (bound by the policy)

    expressions = []

    def policy(crash):
        expressions.append((crash.statement, crash.expression))
        if isinstance(crash.exception, UnboundLocalError):
            return Skip()
        globals()["later_global"] = 5
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    try:
        assert program() == 5
    finally:
        globals().pop("later_global", None)
    assert expressions == [("del unknown_here", "unknown_here"), ("return later_global", "later_global")]


def test_what_follows_may_be_code_that_the_compiler_left_out():
    def program(out):
        return out("x")
        out("never")

    daifu_bc.protect(program, on_crash=lambda crash: Skip(), scope="nested")
    assert program(Out("x")) is None
