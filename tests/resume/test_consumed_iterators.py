"""What takes items from an iterator and fails: run again only where no item is lost by that."""

from __future__ import annotations

import collections
import functools
import io
import itertools
from typing import Any

import pytest

import daifu_bc
from daifu_bc.resume.consumed import was_begun
from resume.failing_iterators import FailsOnce, Numbers


def added(f: FailsOnce) -> Any:
    found: list[int] = []
    found.extend(Numbers(f))
    more: list[int] = []
    more += Numbers(f)
    return found, more


def updated(f: FailsOnce) -> Any:
    found: set[int] = set()
    found.update(Numbers(f))
    return found


def by_next(f: FailsOnce) -> Any:
    numbers = Numbers(f)
    return next(numbers), next(numbers), next(numbers), next(numbers)


def by_dunder_next(f: FailsOnce) -> Any:
    numbers = Numbers(f)
    return numbers.__next__(), numbers.__next__(), numbers.__next__(), numbers.__next__()


def not_taken(f: FailsOnce) -> Any:
    numbers = iter([0, 1, 2])
    held: list[Any] = []
    held.append(numbers)
    return isinstance(numbers, str), f(2), len(held), next(numbers)


def not_begun(f: FailsOnce) -> Any:
    return max(iter([0, 1]), f(2), key=id) is None


def written(f: FailsOnce) -> Any:
    target = io.StringIO()
    target.writelines(str(item) for item in [0, 1])
    return target.getvalue(), f(2)


GO_ON = {
    "extend and +=": added,
    "set.update": updated,
    "next": by_next,
    "__next__": by_dunder_next,
    "in": lambda f: 3 in Numbers(f),
    "a list display": lambda f: [*Numbers(f), 7],
    "arguments before others": lambda f: (lambda *args: args)(*Numbers(f), 7),
    "any and all": lambda f: (any(Numbers(f)), all(Numbers(f))),
    "what takes nothing": not_taken,
    "one that nobody has asked": not_begun,
    "writelines": written,
}


@pytest.mark.parametrize("program", GO_ON.values(), ids=GO_ON)
def test_what_keeps_the_items_that_it_took_goes_on_behind_them(program):
    clean = FailsOnce()
    clean.armed = False
    protected = daifu_bc.protect(program, scope="nested", on_crash=lambda crash: daifu_bc.Retry())
    assert protected(FailsOnce()) == program(clean)


def by_next_of_a_map(f: FailsOnce) -> Any:
    items = map(f, [0, 1, 2, 3])
    return next(items), next(items), next(items), items.__next__()


def by_dunder_next_of_a_map(f: FailsOnce) -> Any:
    items = map(f, [2])
    return items.__next__()


def added_of_a_map(f: FailsOnce) -> Any:
    found: list[int] = []
    found += map(f, [0, 1, 2, 3])
    return found


def extended_by_a_map(f: FailsOnce) -> Any:
    found: list[int] = []
    found.extend(map(f, [0, 1, 2, 3]))
    return found


def into_a_slice(f: FailsOnce) -> Any:
    found = [9]
    found[:] = Numbers(f)
    return found


def into_a_slice_with_a_step(f: FailsOnce) -> Any:
    found = [9]
    found[::1] = Numbers(f)
    return found


def of_a_variable(f: FailsOnce) -> Any:
    numbers = Numbers(f)
    return list(numbers)


def of_a_cell(f: FailsOnce) -> Any:
    numbers = Numbers(f)
    return [(lambda: numbers), tuple(numbers)]


def of_an_attribute(f: FailsOnce) -> Any:
    class Box:
        numbers = Numbers(f)

    return tuple(Box.numbers)


LOSE = {
    "list": lambda f: list(Numbers(f)),
    "list of a map": lambda f: list(map(f, [0, 1, 2, 3])),
    "list of a filter": lambda f: list(filter(f, [0, 1, 2, 3])),
    "list of an enumerate": lambda f: list(enumerate(Numbers(f))),
    "list of a chain": lambda f: list(itertools.chain(Numbers(f), [9])),
    "dict of a zip": lambda f: dict(zip(Numbers(f), Numbers(f), strict=False)),
    "sum": lambda f: sum(Numbers(f)),
    "sorted": lambda f: sorted(Numbers(f), key=lambda x: -x),
    "the key of max": lambda f: max(iter([0, 1, 2]), key=f),
    "join": lambda f: ",".join(map(str, Numbers(f))),
    "fromkeys": lambda f: dict.fromkeys(Numbers(f)),
    "deque": lambda f: collections.deque(Numbers(f)),
    "Counter, in Python": lambda f: collections.Counter(map(f, [0, 1, 2, 3])),
    "reduce": lambda f: functools.reduce(lambda a, b: a + b, Numbers(f)),
    "a partial": lambda f: functools.partial(sum, start=0)(Numbers(f)),
    "only arguments": lambda f: (lambda *args: args)(*Numbers(f)),
    "only arguments of a map": lambda f: max(*map(f, [0, 1, 2, 3])),
    "a list display of a map": lambda f: [*map(f, [0, 1, 2, 3])],
    "a set display of a map": lambda f: {*map(f, [0, 1, 2, 3])},
    "in a map": lambda f: 3 in map(f, [0, 1, 2, 3]),
    "next of a map": by_next_of_a_map,
    "__next__ of a map": by_dunder_next_of_a_map,
    "+= of a map": added_of_a_map,
    "extend by a map": extended_by_a_map,
    "a slice": into_a_slice,
    "a slice with a step": into_a_slice_with_a_step,
    "a variable": of_a_variable,
    "a cell": of_a_cell,
    "an attribute": of_an_attribute,
}


def refused_retry(program, failing=None) -> str:
    """What a retry of the first crash is told."""
    told = []

    def on_crash(crash):
        told.append(crash.can(daifu_bc.Retry()))
        return daifu_bc.Return("refused")

    assert daifu_bc.protect(program, scope="nested", on_crash=on_crash)(failing or FailsOnce()) == "refused"
    return told[0]


@pytest.mark.parametrize("program", LOSE.values(), ids=LOSE)
def test_what_forgets_the_items_that_it_took_is_not_retried(program):
    assert "retry:" in (refused_retry(program) or "")


def test_redo_is_offered_where_the_statement_makes_the_iterator():
    assert "redo" in refused_retry(LOSE["list of a map"])
    assert "use VALUE" in refused_retry(of_a_variable)
    assert "use VALUE" in refused_retry(made_of_a_variable)


def made_of_a_variable(f: FailsOnce) -> Any:
    numbers = Numbers(f)
    return list(map(str, numbers))


def made_here(f: FailsOnce) -> Any:
    found = list(map(f, [0, 1, 2, 3]))
    return found


def test_redo_makes_it_anew():
    protected = daifu_bc.protect(made_here, scope="nested", on_crash=lambda crash: daifu_bc.Redo())
    assert protected(FailsOnce()) == [0, 1, 2, 3]


def test_a_file_that_is_written_to_is_not_taken_for_lines_to_read(tmp_path):
    import pickle

    class Fails:
        armed = True

        def __reduce__(self):
            if Fails.armed:
                Fails.armed = False
                raise OSError("once")
            return (int, (3,))

    def program(file):
        pickle.dump(Fails(), file)
        return True

    with (tmp_path / "f").open("wb") as file:
        assert daifu_bc.protect(program, scope="nested", on_crash=lambda crash: daifu_bc.Retry())(file)
    assert pickle.loads((tmp_path / "f").read_bytes()) == 3


BEGUN = [
    iter([1, 2]), iter((1, 2)), iter("ab"), iter({1, 2}), iter({1: 1, 2: 2}.items()), (x for x in "ab"),
    map(str, [1, 2]), zip("ab", [1, 2]), enumerate("ab"), itertools.chain([1], [2]),
]  # fmt: skip


@pytest.mark.parametrize("iterator", BEGUN, ids=lambda iterator: type(iterator).__name__)
def test_was_begun(iterator):
    assert was_begun(iterator) is False
    next(iterator)
    assert was_begun(iterator) in (True, None)


def test_in_doubt_nothing_is_said():
    assert was_begun(Numbers(FailsOnce())) is None
    assert was_begun(map(str, Numbers(FailsOnce()))) is None
