"""Actions: code run at a crash means what it would mean if it were written there."""

from __future__ import annotations

import ast
import asyncio
import inspect
import linecache
import pickle
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

from daifu_bc.crash.actions import EXTRA_CELLS, run_action
from daifu_bc.crash.variables import Variables
from daifu_bc.errors import CannotProtect

counter = 0


class Scene:
    """A stand-in for a crash: runs actions in the frame that calls it."""

    def __init__(self, protect: Callable[[CodeType], CodeType] | None = None) -> None:
        self.extra: dict[str, Any] = {}
        self.protect = protect

    def __call__(self, source: str, depth: int = 1) -> Any:
        return self.run(source, sys._getframe(depth))

    def run(self, source: str, frame: FrameType) -> Any:
        code = frame.f_code
        variables = Variables(frame, code)
        return run_action(
            source,
            variables=variables,
            frame_globals=frame.f_globals,
            code=code,
            extra=self.extra,
            protect=self.protect,
        )

    @property
    def names(self) -> dict[str, Any]:
        return {name: value for name, value in self.extra.items() if name != EXTRA_CELLS}


@pytest.fixture
def run() -> Scene:
    return Scene()


@pytest.fixture
def module() -> Iterator[Callable[[str], dict[str, Any]]]:
    """Makes a module out of a text, in which `run` is a scene."""
    made: list[str] = []

    def make(text: str) -> dict[str, Any]:
        new = ModuleType(f"acted_on_{len(made)}")
        sys.modules[new.__name__] = new
        made.append(new.__name__)
        new.__dict__["run"] = Scene()
        exec(compile(textwrap.dedent(text), "<module of the test>", "exec", dont_inherit=True), new.__dict__)
        return new.__dict__

    yield make
    for name in made:
        del sys.modules[name]


def test_an_expression_has_a_value_and_sees_locals(run: Scene) -> None:
    def f(a: int, b: int) -> Any:
        return run("a * 10 + b")

    assert f(1, 2) == 12


def test_statements_have_none(run: Scene) -> None:
    x = 1
    assert run("x = 2; x") is None
    assert x == 2
    assert run("") is None
    assert run("# nothing") is None


def test_a_local_is_set_and_deleted(run: Scene) -> None:
    a = b = 1
    run("a += 5\ndel b")
    assert (a, b) == (6, None)  # unbound once the frame is rebuilt; released now


def test_an_unbound_local_is_set(run: Scene) -> None:
    def f(never: bool = False) -> int:
        if never:
            late = 0
        run("late = 3")
        return late

    assert f() == 3


def test_an_unbound_local_is_a_name_error_though_the_module_has_the_name(run: Scene) -> None:
    def f() -> None:
        with pytest.raises(NameError):
            run("counter")
        counter = 1
        assert run("counter") == counter

    f()


@pytest.mark.parametrize(
    "expression",
    [
        "[x * y for y in range(3)]",
        "list(x * y for y in range(3))",
        "(lambda y: [x * z for z in range(y)])(3)",
        "list(map(lambda y: x * y, range(3)))",
        "[*(x * y for y in (lambda: range(3))())]",
        "[{y: x * y}[y] for y in range(3)]",
        "sorted({x * y for y in range(3)})",
    ],
)
def test_names_are_seen_at_every_depth(run: Scene, expression: str) -> None:
    x = 2
    assert run(expression) == [0, 2, 4]
    del x


def test_inner_functions_and_classes_see_names(run: Scene) -> None:
    x, result = 2, None
    run(
        """
        def double(n):
            class Holder:
                value = x * n
                def get(self):
                    return self.value + x
            return Holder().get()
        result = double(5)
        """
    )
    assert result == 12
    assert callable(run.names["double"])
    del x


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("v = 1", 1),
        ("v: int = 1", 1),
        ("v, *w = 1, 2, 3", 1),
        ("(v := 1)", 1),
        ("[v := i for i in range(2)]", 1),
        ("[[v := i + j for i in range(1)] for j in range(2)]", 1),
        ("for v in (0, 1): pass", 1),
        ("for u, v in [(0, 1)]: pass", 1),
        ("with nullcontext(1) as v: pass", 1),
        ("with nullcontext((0, 1)) as (u, v): pass", 1),
        ("v = 0\nv += 1", 1),
        ("import math as v\nv = v.ceil(0.5)", 1),
        ("from math import tau as v\nv = int(v) - 5", 1),
        ("def v(): return 1\nv = v()", 1),
        ("async def v(): return 1\nv.__name__; v = 1", 1),
        ("class v: x = 1\nv = v.x", 1),
        ("match [0, 1]:\n    case [_, v]: pass", 1),
        ("match {'a': 0, 'b': 1}:\n    case {'a': 0, **v}: v = v['b']", 1),
        ("match [0, 1]:\n    case [0, *v]: v = v[0]", 1),
        ("match 1:\n    case int() as v: pass", 1),
        ("try: 1 / 0\nexcept ZeroDivisionError as e: v = 1", 1),
        ("try: raise ExceptionGroup('', [KeyError()])\nexcept* KeyError as e: v = len(e.exceptions)", 1),
        ("type v = int\nv = 1 if v.__value__ is int else 0", 1),
        ("def v[T](x: T) -> T: return x\nv = v(1)", 1),
        ("if 1:\n    while True:\n        v = 1\n        break", 1),
        ("nonlocal v\nv = 1", 1),
        ("def g():\n    nonlocal v\n    v = 1\ng()", 1),
    ],
)
@pytest.mark.parametrize("kind", ["local", "cell", "free"])
def test_every_way_of_binding_sets_the_variable(run: Scene, statement: str, value: object, kind: str) -> None:
    from contextlib import nullcontext

    def local() -> object:
        v = None
        nullcontext
        run(statement)
        return v

    def cell() -> object:
        v = None
        nullcontext
        run(statement)
        return (lambda: v)()

    def free() -> object:
        v = None

        def inner() -> None:
            nullcontext
            run(statement)
            nonlocal v

        inner()
        return v

    assert {"local": local, "cell": cell, "free": free}[kind]() == value
    assert "v" not in run.names


def test_deleting_a_cell_variable_unbinds_it(run: Scene) -> None:
    x = 1

    def read() -> int:
        return x

    run("del x")
    with pytest.raises(NameError):
        read()
    run("x = 2")
    assert read() == 2


def test_an_except_clause_unbinds_its_name_as_python_does(run: Scene) -> None:
    def f() -> None:
        frame = sys._getframe()
        variables = Variables(frame, frame.f_code)
        e: Any = 1
        run_action(
            "try: 1 / 0\nexcept ZeroDivisionError as e: pass",
            variables=variables,
            frame_globals=globals(),
            code=frame.f_code,
            extra={},
        )
        assert "e" not in variables

    f()


def test_new_names_live_with_the_crash(run: Scene) -> None:
    def f() -> object:
        run("fresh = [1]")
        run("fresh.append(2)")
        return run("fresh")

    assert f() == [1, 2]
    assert run.names == {"fresh": [1, 2]}
    assert "fresh" not in globals()
    run("del fresh")
    assert run.extra == {}
    with pytest.raises(NameError):
        run("fresh")


def test_names_of_the_crash_are_shared_by_the_functions_of_several_actions(run: Scene) -> None:
    run("def b(): return 1")
    run("def a(): return b()")
    run("n = 0\ndef count():\n    nonlocal n\n    n += 1")
    assert run("a()") == 1
    run("def b(): return 2")
    assert run("a()") == 2
    run("count(); count()")
    assert run.names["n"] == 2
    run.extra["n"] = 10
    assert run("(count(), n)[1]") == 11


def test_a_function_of_an_action_can_call_itself(run: Scene) -> None:
    assert run("def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)") is None
    assert run("fact(5)") == 120


def test_a_failed_binding_leaves_nothing_behind(run: Scene) -> None:
    with pytest.raises(ZeroDivisionError):
        run("fresh = 1 / 0")
    assert run.extra == {}


def test_what_the_module_has_is_set_in_the_module(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module("there = 1\ndef f(): run('there = 2; (lambda: there)()'); return there")
    assert namespace["f"]() == 2
    assert namespace["there"] == 2
    assert namespace["run"].extra == {}


def test_what_the_function_reads_as_a_global_is_set_in_the_module(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module(
        """
        def f():
            run('missing = 2')
            return missing
        def g():
            run('deep = lambda: 3')
            return [(lambda: deep())() for _ in 'x'][0]
        def h():
            run('attribute = 1')
            run.attribute = 2
        """
    )
    assert namespace["f"]() == 2
    assert namespace["g"]() == 3
    namespace["h"]()
    assert (namespace["missing"], "attribute" in namespace) == (2, False)
    assert namespace["run"].names == {"attribute": 1}


def test_a_name_that_only_a_comprehension_used_is_the_functions_global(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module(
        """
        def f():
            squares = [i * i for i in range(3)]
            run('i = 7')
            return i
        """
    )
    assert (namespace["f"](), namespace["i"]) == (7, 7)


def test_a_running_comprehensions_variable_is_read_and_set(run: Scene) -> None:
    assert [run("item + 'b'") for item in "a"] == ["ab"]
    assert [(run("item = 5"), item)[1] for item in "a"] == [5]


def test_a_global_declaration_is_obeyed(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module("def f():\n    run('global made, x\\nmade = x = 1')\n    x = 0\n    return x")
    assert (namespace["f"](), namespace["made"], namespace["x"]) == (0, 1, 1)


def test_a_builtin_is_replaced_where_the_function_reads_it(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module("def f():\n    run('open = lambda p: p * 2')\n    return open('a')")
    assert namespace["f"]() == "aa"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("return 1", "'return' outside function"),
        ("yield 1", "'yield' outside function"),
        ("await x", "'await' outside function"),
        ("[y async for y in x]", "asynchronous comprehension outside"),
        ("async with x: pass", "outside async function"),
        ("break", "'break' outside loop"),
        ("x = = 1", "invalid syntax"),
        ("nonlocal unheard_of", "no binding for nonlocal 'unheard_of' found"),
        ("x = 1\nglobal x", "assigned to before global declaration"),
        ("if 1:\n    from math import *", r"import \* only allowed at module level"),
    ],
)
def test_what_cannot_be_written_there_is_a_syntax_error(run: Scene, source: str, message: str) -> None:
    x = 0
    with pytest.raises(SyntaxError, match=message) as caught:
        run(f"x = 1\n{source}")
    assert x == 0, "nothing of it has run"
    if caught.value.lineno is not None:
        assert caught.value.text is not None
        assert caught.value.text.strip() in source


async def _awaiting(run: Scene) -> Any:
    x = 1
    with pytest.raises(SyntaxError, match="'await' outside function"):
        run("await x")
    return run("x + 1")


def test_actions_in_a_coroutine(run: Scene) -> None:
    assert asyncio.run(_awaiting(run)) == 2


def test_actions_in_a_generator_and_in_a_generator_expression(run: Scene) -> None:
    def f() -> Iterator[Any]:
        i = 0
        while i < 3:
            run("i += 2")
            yield i
            i += 1

    assert list(f()) == [2]
    assert list(run("i * 2", 1) for i in range(2)) == [0, 2]


def test_actions_in_a_suspended_generators_frame(run: Scene) -> None:
    def f() -> Iterator[int]:
        i = 0
        while True:
            yield i
            i += 1

    generator: Any = f()
    next(generator)
    run.run("i = [i for i in [41]][0]", generator.gi_frame)
    assert next(generator) == 42


def test_a_lambdas_arguments(run: Scene) -> None:
    assert (lambda a, *rest, k=3: run("(a, rest, k)"))(1, 2) == (1, (2,), 3)


def test_what_an_action_did_before_it_raised_stays(run: Scene) -> None:
    a, b = 1, 2
    with pytest.raises(ZeroDivisionError):
        run("a = 10\nnew = 1\n1 / 0\nb = 20")
    assert (a, b, run.names) == (10, 2, {"new": 1})


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit, StopIteration, GeneratorExit])
def test_every_exception_goes_out_as_it_is(run: Scene, exception: type[BaseException]) -> None:
    a, error = 1, exception("it")
    with pytest.raises(exception) as caught:
        run("a = 2\nraise error")
    assert caught.value is error
    assert a == 2


def test_a_traceback_shows_the_actions_lines(run: Scene) -> None:
    def f() -> None:
        run("def inner():\n    return 1 // 0  # here\n\ninner()")

    with pytest.raises(ZeroDivisionError) as caught:
        f()
    text = "".join(traceback.format_exception(caught.value))
    assert 'File "<crash action' in text
    assert "return 1 // 0  # here" in text
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["f", "inner"]


def test_the_source_of_what_an_action_defines_can_be_got(run: Scene) -> None:
    run("def helper(a):\n    return a + 1")
    assert inspect.getsource(run.names["helper"]) == "def helper(a):\n    return a + 1\n"
    linecache.checkcache()
    assert inspect.getsource(run.names["helper"]).startswith("def helper")


def test_functions_belong_to_the_module_and_are_named_as_if_written_there(
    module: Callable[[str], dict[str, Any]],
) -> None:
    namespace = module(
        """
        replaced = None
        class Holder:
            def method(self):
                keep = lambda: None
                run('def helper(): pass')
                run('def replaced(): return 1')
                run('class Local:\\n    def m(self): pass')
                return keep
        Holder().method()
        """
    )
    names = namespace["run"].names
    assert names["helper"].__qualname__ == "Holder.method.<locals>.helper"
    assert names["Local"].__qualname__ == "Holder.method.<locals>.Local"
    assert names["Local"].m.__qualname__ == "Holder.method.<locals>.Local.m"
    assert namespace["replaced"].__qualname__ == "replaced"
    assert namespace["replaced"].__module__ == names["helper"].__module__ == names["Local"].__module__
    assert namespace["replaced"].__globals__ is namespace
    assert pickle.loads(pickle.dumps(namespace["replaced"])) is namespace["replaced"]


def test_a_function_of_an_action_shares_a_cell_both_ways(run: Scene) -> None:
    total = 0

    def read() -> int:
        return total

    run("def add(n):\n    nonlocal total\n    total += n")
    run.names["add"](5)
    assert (total, read()) == (5, 5)
    total = 7
    run.names["add"](1)
    assert read() == 8


def test_closures_called_in_an_action_are_seen_by_it(run: Scene) -> None:
    total = 0

    def bump() -> None:
        nonlocal total
        total += 1

    assert run("(bump(), total)[1]") == 1
    run("bump()\ntotal += 10\nbump()")
    assert total == 13


def test_a_function_of_an_action_keeps_a_plain_locals_value_of_that_time(run: Scene) -> None:
    def f() -> object:
        x = 1
        run("def get(): return x\nx = 2")
        x = 3
        return run.names["get"](), x

    assert f() == (2, 3)


def test_a_name_that_is_only_read_is_not_written_back(run: Scene) -> None:
    def f() -> int:
        x = 1
        frame = sys._getframe()

        def meddle() -> None:
            Variables(frame, frame.f_code)["x"] = 5

        run("(x, meddle())")
        return x

    assert f() == 5


class Base:
    def who(self) -> str:
        return "base"


class Derived(Base):
    def who(self) -> str:
        return "derived"

    def with_class(self, run: Scene) -> object:
        __class__
        return run("super().who(), __class__, (lambda self: super().who())(self)")

    def without_class(self, run: Scene) -> object:
        return run("super().who()")

    @classmethod
    def of_class(cls, run: Scene) -> object:
        return run("super().__name__ if False else super().who")

    def private(self, run: Scene) -> object:
        self.__secret = 1
        __local = 2
        run("self.__secret += 1\n__local += 1\n__new = 1")
        return self.__secret, __local, run("[self.__secret for _ in 'x']"), run("__new"), run.names

    def nested(self, run: Scene) -> object:
        def inner(self: Derived) -> object:
            return run("super().who()"), __class__

        return inner(self)


def test_super_and_class_in_methods(run: Scene) -> None:
    it = Derived()
    assert it.with_class(run) == ("base", Derived, "base")
    assert it.without_class(run) == "base"
    assert it.nested(run) == ("base", Derived)
    assert Derived.of_class(run) is Base.who


def test_super_outside_of_a_class_is_an_error(run: Scene) -> None:
    def f(a: int) -> None:
        run("super()")

    with pytest.raises(RuntimeError):
        f(1)


def test_private_names_are_mangled_as_in_the_class(run: Scene) -> None:
    assert Derived().private(run) == (2, 3, [2], 1, {"_Derived__new": 1})


def test_a_class_that_an_action_defines_has_working_super(run: Scene) -> None:
    run("class C(Base):\n    def who(self): return super().who() + '!'")
    assert run.names["C"]().who() == "base!"


def test_star_imports_bind_before_what_follows(run: Scene) -> None:
    tau = 0
    assert run("from math import *\nresult = [sqrt(x) for x in (4, 9)]") is None
    assert run.names["result"] == [2.0, 3.0]
    assert tau > 6
    assert run("(lambda: floor(2.5))()") == 2
    assert "sqrt" not in globals()


def test_future_imports_are_obeyed_and_inherited(module: Callable[[str], dict[str, Any]]) -> None:
    text = "def f():\n    run('def g(a: undefined): pass')\n    return run('g.__annotations__')\n"
    assert module("from __future__ import annotations\n" + text)["f"]() == {"a": "undefined"}
    own = "def f():\n    run('from __future__ import annotations\\ndef g(a: undefined): pass')\n"
    assert module(own + "    return run('g.__annotations__')")["f"]() == {"a": "undefined"}


def test_locals_eval_and_exec_see_all_variables(run: Scene) -> None:
    def f(a: int) -> None:
        b = 2
        run("extra = 3")
        assert run("eval('a + b + extra')") == 6
        seen = run("locals()")
        assert {name: seen[name] for name in ("a", "b", "extra")} == {"a": 1, "b": 2, "extra": 3}
        assert "b" in run("dir()")
        run("exec('assert a + b == 3')")

    f(1)


def test_an_indented_text_is_fine(run: Scene) -> None:
    x = 1
    run("        x = 2\n        if x:\n            x = 3\n")
    assert x == 3
    assert run("   x + 1") == 4
    assert run("\n\n    x + 1") == 4


def test_code_that_an_action_defines_is_protected_and_its_own_is_not() -> None:
    asked: list[str] = []

    def protect(code: CodeType) -> CodeType:
        asked.append(code.co_name)
        if code.co_name == "refused":
            raise CannotProtect("no")
        return code.replace(co_name=f"protected {code.co_name}")

    run = Scene(protect)
    run("def helper(): pass\ndef refused():\n    return lambda: 1")
    assert asked == ["helper", "refused", "<lambda>"]
    assert run.names["helper"].__code__.co_name == "protected helper"
    assert run.names["refused"]().__code__.co_name == "protected <lambda>"


def test_module_code(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module(
        """
        x = 1
        run('y = x + 1\\ndef f(): return x + y\\nz: int = 3')
        value = run('[f() + i for i in range(2)]')
        run('del x')
        run('from math import *')
        root = run('sqrt(4)')
        names = run('locals() is globals()')
        """
    )
    assert [namespace[n] for n in ("y", "z", "value", "root", "names")] == [2, 3, [3, 4], 2.0, True]
    assert "x" not in namespace
    assert namespace["run"].extra == {}


def test_a_comprehension_in_module_code(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module(
        """
        scale = 2
        values = [run('(lambda: [i * scale for _ in "x"][0])()') for i in range(3)]
        [run('made = i') for i in range(3)]
        """
    )
    assert (namespace["values"], namespace["made"], "i" in namespace) == ([0, 2, 4], 2, False)


def test_a_class_body(run: Scene) -> None:
    free = 5

    class Probe:
        a = 1
        run("b = a + free\ndef m(self): return free + self.b\nc: int = b", 1)
        value = run("a + b", 1)
        nested = run("(lambda: free)()", 1)
        __private = run("__hidden = 1", 1)
        names = run("sorted(n for n in locals() if len(n) == 1)", 1)
        copy = free

    members: Any = Probe
    assert (members.b, members.c, members.value, members.nested) == (6, 6, 7, 5)
    assert members().m() == 11
    assert members.m.__qualname__.endswith("<locals>.Probe.m")
    assert members._Probe__hidden == 1
    assert members.names == ["a", "b", "c", "m"]
    assert members.__qualname__.endswith("<locals>.Probe")
    assert members.__module__ == __name__
    assert run.extra == {}


def test_a_class_body_at_module_level(module: Callable[[str], dict[str, Any]]) -> None:
    namespace = module("g = 1\nclass C:\n    a = 2\n    run('g = a + g; from math import *; r = sqrt(4)')")
    assert (namespace["C"].g, namespace["C"].r, namespace["g"]) == (3, 2.0, 1)


def test_an_action_in_a_callers_frame(run: Scene) -> None:
    def outer() -> int:
        x = 1
        inner()
        return x

    def inner() -> None:
        run("x += 1", 2)

    assert outer() == 2


def test_many_locals_and_many_statements(run: Scene) -> None:
    namespace: dict[str, Any] = {"run": run}
    body = "".join(f"    v{i} = {i}\n" for i in range(400))
    action = "".join(f"v{i} += 1\n" for i in range(400))
    exec(f"def f(action):\n{body}    run(action)\n    return v0, v399", namespace)
    assert namespace["f"](action) == (1, 400)


def test_no_text_can_collide_with_our_stand_ins() -> None:
    from daifu_bc.crash import scopes

    for name in (scopes.AROUND, scopes.ACTION, scopes.FIRST, scopes.RESULT):
        with pytest.raises(SyntaxError):
            ast.parse(f"def {name}(): pass")
