"""Every kind of target: what it consists of, and what is said of those that cannot be."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import enum
import functools
import math
from collections.abc import AsyncIterator, Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import pytest

from daifu_bc import swaps
from daifu_bc.crash.entries import entry_of
from daifu_bc.errors import CannotProtect
from daifu_bc.instrument import is_protected, protect, unprotect
from daifu_bc.targets import functions_in, functions_of


def names(target: object) -> list[str]:
    return [function.__name__ for function in functions_of(target)]


def plain() -> int:
    return 1


def generator() -> Iterator[int]:
    yield 1


async def coroutine() -> int:
    return 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


class Model:
    def __init__(self) -> None:
        self.calls = 0

    def method(self) -> str:
        self.calls += 1
        return "method"

    @staticmethod
    def static() -> str:
        return "static"

    @classmethod
    def of_class(cls) -> str:
        return cls.__name__

    @property
    def value(self) -> int:
        return self.calls

    @value.setter
    def value(self, value: int) -> None:
        self.calls = value

    @value.deleter
    def value(self) -> None:
        self.calls = 0

    @functools.cached_property
    def cached(self) -> int:
        return 7

    def power(self, exponent: int) -> int:
        return 2**exponent

    square = functools.partialmethod(power, 2)

    @functools.singledispatchmethod
    def shown(self, value: object) -> str:
        return "object"

    @shown.register
    def shown_int(self, value: int) -> str:
        return "int"

    class Inner:
        def deep(self) -> str:
            return "deep"

    Other = collections.OrderedDict

    def __call__(self) -> str:
        return "called"


class Child(Model):
    def own(self) -> int:
        return 1


class Empty(Model):
    pass


@pytest.mark.parametrize("target", [plain, generator, coroutine, async_generator, lambda: 1])
def test_functions_of_every_kind(target: FunctionType) -> None:
    before = target.__code__
    protect(target)
    assert functions_of(target) == [target] and is_protected(target)
    unprotect(target)
    assert target.__code__ is before


def test_generators_and_coroutines_run_as_before() -> None:
    async def use() -> list[int]:
        return [await coroutine(), *[item async for item in async_generator()]]

    for target in (generator, coroutine, async_generator):
        protect(target)
    assert list(generator()) == [1]
    assert asyncio.run(use()) == [1, 1]


def test_methods_bound_and_unbound() -> None:
    model = Model()
    bound = model.method
    assert protect(bound) is bound
    assert is_protected(Model.method) and is_protected(bound)
    assert bound() == "method"
    unprotect(Model.method)
    assert not is_protected(bound)
    assert names(Model.of_class) == ["of_class"] and names(Model.static) == ["static"]


def test_static_and_class_method_objects() -> None:
    for item, result in ((staticmethod(plain), 1), (classmethod(lambda cls: 1), 1)):
        assert protect(item) is item  # type: ignore[comparison-overlap, unused-ignore]
        assert is_protected(item.__func__)
        assert item.__get__(None, int)() == result


def test_all_accessors_of_a_property() -> None:
    assert names(Model.__dict__["value"]) == ["value", "value", "value"]
    protect(Model.__dict__["value"])
    model = Model()
    model.value = 3
    assert model.value == 3
    assert is_protected(Model.__dict__["value"])


def test_partials() -> None:
    made = functools.partial(math.pow, 2), functools.partial(functools.partial(plain))
    assert protect(made[1]) is made[1] and is_protected(plain)
    assert made[1]() == 1
    with pytest.raises(CannotProtect):
        protect(made[0])
    assert names(Model.__dict__["square"]) == ["power"]


def test_cached_property_and_singledispatchmethod() -> None:
    assert names(Model.__dict__["cached"]) == ["cached"]
    assert set(names(Model.__dict__["shown"])) >= {"shown", "shown_int"}


def test_singledispatch_takes_all_implementations() -> None:
    @functools.singledispatch
    def show(value: object) -> str:
        return "object"

    @show.register
    def _of_int(value: int) -> str:
        return "int"

    @show.register(list)
    def _of_list(value: object) -> str:
        return "list"

    assert protect(show) is show
    assert set(names(show)) == {"show", "_of_int", "_of_list"}
    assert is_protected(_of_int) and is_protected(_of_list)
    assert (show(1), show([]), show("")) == ("int", "list", "object")


def test_lru_cache() -> None:
    @functools.lru_cache
    def slow(value: int) -> int:
        return value + 1

    assert protect(slow) is slow
    assert is_protected(slow) and is_protected(slow.__wrapped__)
    assert slow(1) == 2


def test_a_wrapper_and_what_it_wraps() -> None:
    wrapper = wrapping(wrapping(plain))
    assert len(functions_of(wrapper)) == 3
    protect(wrapper)
    assert entry_of(plain.__code__) is not None and entry_of(wrapper.__code__) is not None  # type: ignore[attr-defined]
    assert wrapper() == 1


def test_a_contextmanager_function() -> None:
    @contextlib.contextmanager
    def opened() -> Iterator[int]:
        yield 5

    protect(opened)
    with opened() as value:
        assert value == 5
    assert is_protected(opened.__wrapped__)  # type: ignore[attr-defined]


def test_wrappers_that_wrap_each_other_end() -> None:
    one, other = wrapping(plain), wrapping(plain)
    one.__wrapped__, other.__wrapped__ = other, one  # type: ignore[attr-defined]
    assert functions_of(one) == [one, other]


def test_a_class_is_its_own_methods() -> None:
    found = names(Model)
    for name in (
        "__init__",
        "method",
        "static",
        "of_class",
        "value",
        "cached",
        "power",
        "shown_int",
        "deep",
        "__call__",
    ):
        assert name in found
    assert names(Child) == ["own"]
    assert protect(Model) is Model and is_protected(Model)
    assert Model.Inner().deep() == "deep" and Model().square() == 4
    unprotect(Model)
    assert not any(swaps.runs_protected(function) for function in functions_of(Model))


def test_a_class_that_only_inherits_names_the_class_to_protect() -> None:
    with pytest.raises(CannotProtect, match=r"no method of its own.*Model"):
        protect(Empty)


def test_methods_without_source_are_left_out() -> None:
    @dataclasses.dataclass
    class Point:
        x: int

        def norm(self) -> int:
            return abs(self.x)

    class Colour(enum.Enum):
        RED = 1

        def shown(self) -> str:
            return self.name

    class Pair(NamedTuple):
        one: int

        def both(self) -> int:
            return self.one

    assert [names(owner) for owner in (Point, Colour, Pair)] == [["norm"], ["shown"], ["both"]]


def test_a_callable_instance_is_its_call() -> None:
    model = Model()
    assert names(model) == ["__call__"]
    assert protect(model, scope="nested") is model and model() == "called"
    assert is_protected(Model.__call__) and not is_protected(Model.method)


def test_a_callable_that_a_class_holds_is_no_method() -> None:
    class Holder:
        act = Model()

        def method(self) -> int:
            return 1

    assert names(Holder) == ["method"]


def test_an_instance_that_wraps_a_function() -> None:
    class Timed:
        def __init__(self, function: Callable[[], int]) -> None:
            functools.update_wrapper(self, function)

        def __call__(self) -> int:
            return self.__wrapped__()  # type: ignore[attr-defined, no-any-return]

    assert names(Timed(plain)) == ["__call__", "plain"]


def test_a_method_made_of_anything_callable() -> None:
    assert names(MethodType(functools.partial(plain), 1)) == ["plain"]


def test_a_module_is_what_it_defines(project: Any) -> None:
    project(
        {
            "shapes.py": """
                import functools, os.path
                from collections import OrderedDict
                from os.path import join

                def area(x):
                    return x * x

                @functools.lru_cache
                def cached(x):
                    return x

                class Shape:
                    def size(self):
                        return 1

                size = Shape.size
                half = functools.partial(area, 0.5)
                joined = functools.partial(join, "a")
            """
        }
    )
    import shapes  # type: ignore[import-not-found]

    assert sorted(names(shapes)) == ["area", "cached", "size"]
    assert protect(shapes) is shapes and is_protected(shapes) and is_protected(shapes.Shape)
    assert shapes.area(3) == 9


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (len, "len is not written in Python.*protect the Python function that calls it"),
        ([].append, "list.append is not written in Python"),
        (dict, "class dict has no method written in Python"),
        (math, "module math defines no Python function"),
        (ModuleType("empty"), "module empty defines no Python function"),
        (3, "a int is not code"),
        ("train", "a str is not code"),
        (plain.__code__, "plain is a code object; protect the function"),
        (generator(), "this generator has been made already"),
        (functools.partial(len), "not written in Python"),
        (staticmethod(len), "not written in Python"),
        (property(), "a property is not code"),
    ],
)
def test_what_has_no_python_code_is_refused_with_a_reason(target: object, says: str) -> None:
    with pytest.raises(CannotProtect, match=says):
        protect(target)
    assert not is_protected(target)
    assert unprotect(target) is target


def test_looking_into_a_class_runs_no_code_of_it() -> None:
    class Loud:
        def __get__(self, instance: object, owner: type) -> object:
            raise AssertionError("looked at")

        def __getattribute__(self, name: str) -> object:
            raise AssertionError(f"asked for {name}")

        def __call__(self) -> None:
            raise AssertionError("called")

    class Holder:
        loud = Loud()

        def method(self) -> int:
            return 1

    module = ModuleType("holding")
    vars(module).update(loud=Loud(), plain=plain)
    assert names(Holder) == ["method"]
    assert list(functions_in(module)) == []


def test_an_nn_module_instance_is_its_class() -> None:
    torch = pytest.importorskip("torch")

    class Base(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x + 1

    class Net(Base):
        def extra(self) -> int:
            return 1

    net = Net()
    assert set(names(net)) == {"extra", "forward"}
    assert protect(net) is net and is_protected(net) and is_protected(Base.forward)
    assert net(torch.zeros(1)).item() == 1
    unprotect(net)
    assert names(torch.nn.Linear(1, 1))[0] == "__init__"
