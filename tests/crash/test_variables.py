"""Variables of living frames: functions, generators, class bodies, modules; cells; what is refused or hidden."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from daifu_bc.crash.variables import Variables


def here(depth: int = 1) -> Variables:
    """The variables of the caller."""
    frame = sys._getframe(depth)
    return Variables(frame, frame.f_code)


def test_a_functions_locals_are_read_fresh() -> None:
    def probe(a: int, *rest: int, **named: int) -> list[object]:
        variables = here()
        seen: list[object] = [variables["a"], variables["rest"], variables["named"]]
        a += 1
        seen.append(variables["a"])
        return seen

    assert probe(1, 2, z=3) == [1, (2,), {"z": 3}, 2]


def test_writing_a_local_is_seen_by_the_function() -> None:
    def probe(a: int, b: int) -> tuple[int, int]:
        here()["a"] = 10
        return a, b

    assert probe(1, 2) == (10, 2)


def test_writing_an_unbound_local_binds_it() -> None:
    def probe(never: bool = False) -> object:
        if never:
            late = 0
        variables = here()
        assert "late" not in variables
        variables["late"] = 5
        return late

    assert probe() == 5


def test_an_unbound_name_is_a_key_error_and_is_not_listed() -> None:
    def probe() -> None:
        variables = here()
        with pytest.raises(KeyError):
            variables["later"]
        names, count = set(variables), len(variables)
        assert (names, count) == ({"variables"}, 1)
        later = 1
        assert "later" in set(variables)
        del later

    probe()


def test_deleting_a_plain_local_releases_it_and_unbinds_it_in_the_rebuilt_frame() -> None:
    def probe() -> None:
        gone, stays = 1, 2
        variables = here()
        del variables["gone"]
        names = set(variables)
        assert names == {"stays", "variables"}
        assert "gone" not in variables
        with pytest.raises(KeyError):
            del variables["gone"]
        assert (variables.unbound, gone) == ({"gone"}, None)
        variables["gone"] = 3
        assert variables["gone"] == 3
        assert not variables.unbound
        assert (gone, stays) == (3, 2)

    probe()


def test_cells_are_shared_with_closures_both_ways() -> None:
    def probe() -> None:
        count = 0

        def bump() -> int:
            nonlocal count
            count += 1
            return count

        variables = here()
        bump()
        assert variables["count"] == 1
        variables["count"] = 10
        assert bump() == 11
        assert count == 11

    probe()


def test_free_variables_are_variables() -> None:
    shared = [1]

    def probe() -> None:
        nonlocal shared
        variables = here()
        assert variables["shared"] is shared
        variables["shared"] = [2]

    probe()
    assert shared == [2]


def test_deleting_a_cell_variable_unbinds_it_for_its_closures() -> None:
    def probe() -> None:
        value = object()

        def read() -> object:
            return value

        variables = here()
        del variables["value"]
        assert not variables.unbound
        with pytest.raises(NameError):
            read()
        variables["value"] = 7
        assert read() == 7

    probe()


def test_an_argument_that_is_a_cell_is_a_variable() -> None:
    def probe(arg: int) -> int:
        def read() -> int:
            return arg

        here()["arg"] = 4
        return read() + arg

    assert probe(1) == 8


@pytest.mark.parametrize("contents", [None, 0, True, "text", object()])
def test_the_real_cell_is_found_whatever_it_holds(contents: object) -> None:
    def others() -> Callable[[], object]:
        same = contents
        return lambda: same

    def probe() -> None:
        value = contents

        def read() -> object:
            return value

        assert read.__closure__ is not None
        assert here().cells_of(["value"])["value"] is read.__closure__[0]
        assert value is contents

    keep = [others() for _ in range(5)]
    probe()
    assert all(read() is contents for read in keep)


def test_the_real_cell_is_found_when_it_is_empty() -> None:
    def probe(never: bool = False) -> None:
        def read() -> object:
            return value

        variables = here()
        assert read.__closure__ is not None
        assert variables.cells_of(["value"])["value"] is read.__closure__[0]
        assert "value" not in variables
        with pytest.raises(NameError):
            read()
        if never:
            value = 0

    probe()


def test_a_plain_local_has_no_cell() -> None:
    def probe() -> None:
        plain = 1
        assert here().cells_of(["plain"]) == {}
        del plain

    probe()


def test_a_suspended_generators_variables_are_read_and_written() -> None:
    def count() -> Iterator[int]:
        i = 0
        while True:
            yield i
            i += 1

    generator: Any = count()
    next(generator)
    variables = Variables(generator.gi_frame, generator.gi_code)
    variables["i"] = 10
    assert next(generator) == 11


def test_an_inlined_comprehensions_variable_is_a_local_while_it_runs() -> None:
    def probe() -> list[object]:
        return [here()["item"] for item in "ab"]

    assert probe() == ["a", "b"]


def test_a_generator_expressions_hidden_argument_is_not_shown() -> None:
    assert list(set(here(1)) for item in [1]) == [{"item"}]


def test_hidden_locals_of_protected_code_are_never_shown() -> None:
    def probe(see: Callable[[], dict[str, object]]) -> dict[str, object]:
        a = 1
        return see() | {"a2": a}

    original = probe.__code__
    names = (*original.co_varnames, ".kept0", "(spill)")
    probe.__code__ = original.replace(co_varnames=names, co_nlocals=len(names))
    seen = probe(lambda: dict(Variables(sys._getframe(1), original)))
    assert (seen.pop("a"), seen.pop("a2"), list(seen)) == (1, 1, ["see"])


@pytest.mark.parametrize("name", [".kept0", "(spill)", "unheard_of"])
def test_a_name_that_the_function_does_not_have_cannot_be_written(name: str) -> None:
    variables = here()
    with pytest.raises(KeyError):
        variables[name] = 1
    with pytest.raises(KeyError):
        del variables[name]


def test_module_code_shows_its_namespace() -> None:
    namespace: dict[str, Any] = {"here": here}
    exec("a = 1\nv = here()\nv['b'] = a + 1\ndel v['a']\nok = 'a' not in v and v.namespace is globals()", namespace)
    assert (namespace["b"], namespace["ok"], "a" in namespace) == (2, True, False)


def test_a_class_body_shows_its_namespace() -> None:
    class Probe:
        a = 1
        v = here()
        v["b"] = a + 1
        del v["a"]

    assert vars(Probe)["b"] == 2
    assert "a" not in vars(Probe)


def test_a_class_bodys_free_variable_has_its_real_cell() -> None:
    free = 3

    class Probe:
        cells = here().cells_of(["free"])
        copy = free

    def read() -> int:
        return free

    assert read.__closure__ is not None
    assert vars(Probe)["cells"] == {"free": read.__closure__[0]}


def test_a_modules_comprehension_shows_its_variable_and_takes_writes_as_pending() -> None:
    source = "i = 'module'\nz = 1\nseen = [act(v()) for i in 'x']\nafter = i"

    def act(variables: Variables) -> object:
        assert (variables["i"], variables["z"]) == ("x", 1)
        variables["z"] = 2
        variables["i"] = "y"
        assert variables["i"] == "y"
        assert sorted(n for n in variables if len(n) == 1) == ["i", "v", "z"]
        del variables["i"]
        assert variables.unbound == {"i"}
        assert "i" not in variables
        return variables.pending

    namespace: dict[str, Any] = {"v": lambda: here(2), "act": act}
    exec(source, namespace)
    assert (namespace["seen"], namespace["after"], namespace["z"]) == ([{}], "module", 2)


def test_a_class_bodys_comprehension_uses_the_namespace_it_is_handed() -> None:
    def look(frame: FrameType, namespace: dict[str, Any]) -> object:
        variables = Variables(frame, frame.f_code, namespace=namespace)
        variables["b"] = 2
        return variables["i"], variables["a"], namespace["b"]

    class Probe:
        a = 1
        namespace = sys._getframe().f_locals
        seen = [look(sys._getframe(), n) for i, n in [(7, namespace)]]

    assert Probe.seen == [(7, 1, 2)]
    assert vars(Probe)["b"] == 2


def test_a_class_bodys_comprehension_without_its_namespace_keeps_writes_pending() -> None:
    class Probe:
        seen = [(v.__setitem__("b", 2), v["b"], v["i"], v.pending) for i in [7] for v in [here()]]

    assert vars(Probe)["seen"] == [(None, 2, 7, {"b": 2})]


def test_cells_that_are_handed_in_are_used() -> None:
    def probe() -> None:
        value = 1

        def read() -> int:
            return value

        assert read.__closure__ is not None
        frame = sys._getframe()
        variables = Variables(frame, frame.f_code, cells={"value": read.__closure__[0]})
        variables["value"] += 1  # type: ignore[operator]
        assert (value, read()) == (2, 2)
        del variables["value"]
        assert "value" not in variables
        value = 0

    probe()


class Tensor:
    """Something that can be watched dying."""


def test_reading_and_writing_keep_no_value_alive() -> None:
    def probe() -> None:
        big, other = Tensor(), Tensor()
        watched, watched_other = weakref.ref(big), weakref.ref(other)
        variables = here()
        assert variables["big"] is big
        assert "other" in dict(variables)
        variables["other"] = None
        assert other is None
        if watched_other() is not None:  # 3.14 keeps what was overwritten with the frame
            assert not isinstance(variables.frame.f_locals, dict)
        del big
        assert watched() is None

    gc.disable()
    try:
        probe()
    finally:
        gc.enable()


def test_a_programs_own_locals_dict_is_left_to_it() -> None:
    def probe() -> None:
        a = 1
        mine = locals()
        here()["a"] = 2
        assert "a" in mine
        assert a == 2

    probe()


def test_a_callers_frame_can_be_written() -> None:
    def outer() -> int:
        x = 1
        inner()
        return x

    def inner() -> None:
        here(2)["x"] = 5

    assert outer() == 5


def test_many_locals() -> None:
    names = [f"v{i}" for i in range(600)]
    body = "".join(f"    {name} = {i}\n" for i, name in enumerate(names))
    namespace: dict[str, Any] = {"here": here}
    exec(f"def f():\n{body}    v = here()\n    v['v599'] = -1\n    return dict(v), v599", namespace)
    seen, last = namespace["f"]()
    assert (seen["v0"], seen["v598"], seen["v599"], last) == (0, 598, -1, -1)


def test_another_threads_frame_can_be_written() -> None:
    ready, go, result = threading.Event(), threading.Event(), []

    def work() -> None:
        x = 1
        ready.set()
        go.wait()
        result.append(x)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait()
    frame: FrameType | None = sys._current_frames()[thread.ident or 0]
    while frame is not None and frame.f_code is not work.__code__:
        frame = frame.f_back
    assert frame is not None
    Variables(frame, frame.f_code)["x"] = 2
    go.set()
    thread.join()
    assert result == [2]
