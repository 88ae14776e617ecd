"""Iterators that take items before they fail, or give up their source: retry says what it would lose."""

from __future__ import annotations

import itertools

import pytest

import daifu_bc
from daifu_bc import Retry, Use
from whole.crash_at import Boom, Items, Out


def fail_on(bad):
    """A function that always fails for one item."""

    def function(item, *more):
        if item == bad:
            raise Boom(item)
        return item

    return function


def over(make, out):
    """A program that loops over what `make` makes of it, and why its retry is refused where that fails."""
    reasons = []

    def program():
        seen = []
        for item in make(out):
            seen.append(item)
        return seen

    def policy(crash):
        reasons.append(crash.can(Retry()))
        return Retry() if reasons[-1] is None else Use("supplied")

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    return program(), reasons


TAKEN = {
    "map of a C function": (lambda out: map(int, ["1", "x", "3"]), [1, "supplied", 3]),
    "map": (lambda out: map(fail_on(2), [1, 2, 3]), [1, "supplied", 3]),
    "filter": (lambda out: filter(fail_on(2), [1, 2, 3]), [1, "supplied", 3]),
    "starmap": (lambda out: itertools.starmap(fail_on(2), [(1,), (2,), (3,)]), [1, "supplied", 3]),
    "zip whose second fails": (
        lambda out: zip("abc", Items(Out("next 2"), 1, 2, 3)),
        [("a", 1), "supplied", ("c", 2)],
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_an_item_that_was_taken_and_would_be_lost_is_told(name):
    make, expected = TAKEN[name]
    result, reasons = over(make, Out())
    assert len(reasons) == 1 and reasons[0] is not None
    assert result == expected


GIVEN_UP = {
    "islice": lambda source: itertools.islice(source, 10),
    "pairwise": itertools.pairwise,
    "batched": lambda source: itertools.batched(source, 1),
    "zip_longest": lambda source: itertools.zip_longest(source, []),
}


@pytest.mark.parametrize("name", GIVEN_UP)
def test_an_iterator_that_gave_up_its_source_is_dead(name):
    seen = []

    def program():
        return [item for item in GIVEN_UP[name](Items(Out("next 2"), 1, 2, 3))]

    def policy(crash):
        seen.append((crash.loops[0].state, crash.can(Retry())))
        crash.loops[0].iterator = iter(["fresh"])
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program()[-1] == "fresh"
    assert seen[0][0] == "dead"
    assert seen[0][1] is not None


UNTOUCHED = {
    "enumerate": (enumerate, [(0, 1), (1, 2), (2, 3)]),
    "chain": (lambda source: itertools.chain(source, [4]), [1, 2, 3, 4]),
    "chain of iterables": (lambda source: itertools.chain.from_iterable([[0], source]), [0, 1, 2, 3]),
    "zip whose first fails": (lambda source: zip(source, "abc"), [(1, "a"), (2, "b"), (3, "c")]),
    "map of what fails": (lambda source: map(str, source), ["1", "2", "3"]),
    "cycle": (lambda source: itertools.islice(itertools.cycle("ab"), 2), ["a", "b"]),
    "iter of a callable": (lambda source: iter(source.__next__, 3), [1, 2]),
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_an_iterator_that_took_nothing_is_asked_again(name):
    make, expected = UNTOUCHED[name]

    class Values(Items):
        def __next__(self):
            item = self.items[0] if self.items else None
            super().__next__()
            return item

    result, reasons = over(lambda out: make(Values(out, 1, 2, 3)), Out("next 2"))
    assert reasons in ([None], [])
    assert result == expected
