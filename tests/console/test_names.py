"""Which variables a statement uses, and how far a loop is."""

from __future__ import annotations

import pytest

from daifu_bc.console.names import MISSING, names_read, used_values
from daifu_bc.console.progress import how_far


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("y = f(x) + y", ["f", "x", "y"]),
        ("total += x", ["total", "x"]),
        ("self.a.b = c", ["self", "self.a", "c"]),
        ("for x in load(path):", ["load", "path"]),
        ("while n < limit:", ["n", "limit"]),
        ("with open(name) as file:", ["open", "name"]),
        ("if x:", ["x"]),
        ("elif x > y:", ["x", "y"]),
        ("except errors.Mine as e:", ["errors", "errors.Mine"]),
        ("async for x in feed:", ["feed"]),
        ("case Point(x=limit.a):", ["Point", "limit", "limit.a"]),
        ("return [a * b for a in rows if a]", ["b", "rows"]),
        ("key = lambda row: row[n]", ["n"]),
        ("await self.get(x)", ["self", "self.get", "x"]),
        ("    indented(x)", ["indented", "x"]),
        ("x = (y +", ["x", "y"]),
        ("'''half {", []),
        ("print({}, {'a': b})", ["print", "b"]),
        ("", []),
    ],
)
def test_names_read(statement, names):
    assert names_read(statement) == names


class Thing:
    def __init__(self):
        self.rate = 0.5
        self._parameters = {"weight": [1, 2]}

    @property
    def computed(self):
        raise AssertionError("no code of the program may run")

    def __getattr__(self, name):
        raise AssertionError("no code of the program may run")


def test_values_come_without_running_code():
    local = {"self": Thing(), "x": 3, "len": len, "pytest": pytest, "helper": test_names_read}
    module = {"limit": 9, "__builtins__": {}}
    statement = (
        "y = helper(self.rate, self.weight, self.computed, x, limit, len(x), pytest.x, missing, print, int)"
    )
    values = dict(used_values(statement, local, module))
    assert isinstance(values.pop("self"), Thing)
    assert values == {"self.rate": 0.5, "self.weight": [1, 2], "x": 3, "limit": 9, "missing": MISSING}


def taken(iterator, count):
    for _ in range(count):
        next(iterator)
    return iterator


class Loader:
    def __init__(self):
        self._num_yielded = 7


@pytest.mark.parametrize(
    ("iterator", "words"),
    [
        (taken(iter([1, 2, 3]), 2), "2 of 3 taken"),
        (taken(iter((1, 2, 3)), 0), "0 of 3 taken"),
        (taken(iter("abc"), 1), "1 of 3 taken"),
        (taken(iter(range(10)), 3), "7 to come"),
        (taken(iter({1: 2, 3: 4}), 1), "1 to come"),
        (taken(enumerate(["a", "b"]), 1), "1 of 2 taken"),
        (taken(enumerate(iter(lambda: 0, 1), 5), 2), "number 7 is next"),
        (taken(zip([1, 2], "ab", strict=True), 1), "1 of 2 taken"),
        (taken(map(str, [1, 2]), 1), "1 of 2 taken"),
        (taken(filter(None, [1, 2]), 1), "1 of 2 taken"),
        (taken(reversed([1, 2, 3]), 1), "2 to come"),
        ((x for x in "abc"), ""),
        (Loader(), "7 taken"),
        (object(), ""),
        (None, ""),
    ],
)
def test_how_far(iterator, words):
    assert how_far(iterator) == words


def test_an_exhausted_iterator_says_so():
    iterator = iter([1])
    assert list(iterator) == [1]
    assert how_far(iterator) == "all taken"


def test_asking_runs_no_code():
    assert how_far(Thing()) == ""


def test_asking_does_not_advance():
    iterator = enumerate([1, 2, 3])
    next(iterator)
    how_far(iterator)
    assert list(iterator) == [(1, 2), (2, 3)]
