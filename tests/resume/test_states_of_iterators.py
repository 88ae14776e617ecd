"""What is said of an iterator after a failure; nothing is taken from it to find out."""

from __future__ import annotations

import collections
import itertools

import pytest

from daifu_bc.resume.iterators import is_finished, loop_state, sources_of, what_died


def raised_by(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError


def failing():
    yield 1
    raise OSError


def died(layer=lambda source: source):
    """An iterator over a generator that raised, and the exception."""
    iterator = layer(failing())
    next(iterator)
    return iterator, raised_by(next, iterator)


LAYERS = {
    "itself": iter,
    "enumerate": enumerate,
    "map": lambda source: map(str, source),
    "zip": lambda source: zip("abc", source),
    "chain": lambda source: itertools.chain(source, [2]),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_a_generator_that_raised_is_dead(layer):
    iterator, error = died(layer)
    assert loop_state(iterator, error) == "dead"
    assert what_died(iterator, error) == "generator"


class Loader:
    """An iterator of Python's own, with a generator deep inside."""

    def __init__(self, source):
        self.parts = {"source": [source]}

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.parts["source"][0])


def test_a_generator_deep_inside_an_object_is_found():
    iterator, error = died(Loader)
    assert loop_state(iterator, error) == "dead"


def test_a_generator_that_ended_before_is_not_to_blame():
    finished = (item for item in ())
    list(finished)
    iterator = Loader([])
    iterator.parts["finished"] = finished
    assert loop_state(iterator, raised_by(next, iterator)) == "alive"


def test_objects_that_hold_themselves_are_looked_through_once():
    iterator = Loader(iter([]))
    iterator.parts["itself"] = iterator
    assert loop_state(iterator, OSError()) == "alive"


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict, collections.Counter, set, collections.deque])
def test_what_changed_its_size_is_invalid(kind):
    """Asked again, some of these only raise and others end in silence."""
    table = kind([1, 2]) if kind in (set, collections.deque) else kind({1: 1, 2: 2})
    iterator = iter(table)
    next(iterator)
    grow = {set: "add", collections.deque: "append"}.get(kind, "setdefault")
    getattr(table, grow)(5)
    assert loop_state(iterator, raised_by(next, iterator)) == "invalid"


def test_another_runtime_error_does_not_make_it_invalid():
    assert loop_state(iter({1: 1}), RuntimeError("something else")) == "alive"


def test_nothing_is_taken():
    class Counting:
        taken = 0

        def __iter__(self):
            return self

        def __next__(self):
            Counting.taken += 1
            return 1

        def __length_hint__(self):
            raise AssertionError("not ours to ask")

    for iterator in (Counting(), iter([1, 2]), (item for item in [1]), map(int, Counting())):
        loop_state(iterator, OSError())
    assert Counting.taken == 0


@pytest.mark.parametrize("value", [None, 5, "text", [1], object()])
def test_what_is_no_iterator_is_alive(value):
    assert loop_state(value) == "alive"
    assert not is_finished(value)


def test_exhausted_is_not_dead():
    generator = (item for item in [1])
    assert loop_state(generator) == "alive"
    list(generator)
    assert loop_state(generator) == "exhausted"
    assert loop_state(generator, OSError()) == "exhausted"
    numbers = iter([1, 2])
    assert loop_state(numbers) == "alive"
    list(numbers)
    assert loop_state(numbers) == "exhausted"


class Wrapping(Loader):
    """One that says in its own words what went wrong."""

    def __next__(self):
        try:
            return super().__next__()
        except OSError as error:
            raise RuntimeError("no next item") from error


def test_a_generator_whose_exception_was_wrapped_is_dead():
    iterator, error = died(Wrapping)
    assert type(error) is RuntimeError
    assert loop_state(iterator, error) == "dead"


def test_what_a_zip_longest_takes_from_is_read_when_one_of_it_has_ended():
    longer = iter("abc")
    iterator = itertools.zip_longest([0], longer)
    next(iterator), next(iterator)  # now it holds a tuple with NULL in it
    assert sources_of(iterator) == [longer]
