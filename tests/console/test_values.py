"""Any object in one short line, whatever its repr does."""

from __future__ import annotations

import pytest

from daifu_bc.console.values import one_line, printable, short


class Raises:
    def __repr__(self):
        raise RuntimeError("no")


class Array:
    shape = (3, 4)
    dtype = "float32"
    device = "cuda:0"

    def __repr__(self):
        raise AssertionError("no element may be read")


class Scalar(Array):
    shape = ()
    device = "cpu"

    def __repr__(self):
        return "0.5"


class BadShape:
    @property
    def shape(self):
        raise ValueError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("text", "'text'"),
        ([1, "a", None], "[1, 'a', None]"),
        ((1,), "(1,)"),
        ((), "()"),
        (set(), "set()"),
        (frozenset({1}), "frozenset({1})"),
        ([1, 2, 3, 4, 5], "[1, 2, 3, 4, ... 5 items]"),
        ({"a": [1, [2, [3]]]}, "{'a': [1, [...]]}"),
        (dict.fromkeys(range(9)), "{0: None, 1: None, 2: None, 3: None, ... 9 items}"),
        (Raises(), "<Raises, its repr raised RuntimeError>"),
        ([Raises()], "<list, its repr raised RuntimeError>"),
        (Array(), "Array(shape=(3, 4), dtype=float32, device=cuda:0)"),
        ({"x": Array()}, "{'x': Array(shape=(3, 4), dtype=float32, device=cuda:0)}"),
        (Scalar(), "0.5"),
        (BadShape(), "<BadShape, its repr raised ValueError>"),
        (Array, "<class '"),
    ],
)
def test_short(value, text):
    assert short(value).startswith(text)


def test_it_is_never_longer_than_asked_for():
    for value in ["x" * 1000, b"x" * 1000, ["x" * 1000] * 9, range(10**100), "a\nb" * 99]:
        assert len(short(value, 40)) <= 40
        assert "\n" not in short(value, 40)


def test_a_set_that_changes_meanwhile_is_no_error():
    class Shrinks:
        def __repr__(self):
            values.clear()
            return "x"

    values = {Shrinks(), Shrinks()}
    assert "RuntimeError" in short(values)


def test_control_characters_do_not_reach_the_terminal():
    assert printable("\x1b[2Jx\ry\x9b\n\t") == "\\x1b[2Jx\\x0dy\\x9b\n\t"
    assert one_line("a\n   b", 10) == "a b"


def test_arrays_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert short(numpy.zeros((2, 3), dtype="int16")) == "ndarray(shape=(2, 3), dtype=int16)"
    assert short(numpy.zeros(5)) == "ndarray(shape=(5,), dtype=float64)"
    assert "2.5" in short(numpy.float64(2.5))


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    assert short(torch.zeros(2, 3)) == "Tensor(shape=(2, 3), dtype=torch.float32)"
    assert short(torch.zeros(1, device="meta")) == "Tensor(shape=(1,), dtype=torch.float32, device=meta)"
    assert short(torch.tensor(1.5)) == "tensor(1.5000)"


def test_recursion_ends():
    value = []
    value.append(value)
    assert short(value) == "[[[...]]]"
