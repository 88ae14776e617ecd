"""Process-wide switches that a program left changed are named when its crash is let go."""

from __future__ import annotations

import sys
import types

import pytest

import daifu_bc
from daifu_bc import Abort, Retry
from whole.crash_at import Out, caught_from, notes_of


@pytest.fixture
def torch(monkeypatch):
    """A module with two of PyTorch's switches."""
    module = types.ModuleType("torch")
    module.grad, module.dtype, module.asked = True, "float32", 0

    def is_grad_enabled():
        module.asked += 1
        return module.grad

    module.is_grad_enabled = is_grad_enabled
    module.get_default_dtype = lambda: module.dtype
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def protected(function, policy):
    return daifu_bc.protect(function, on_crash=policy, scope="nested")


@pytest.mark.parametrize("decision", [None, Abort()], ids=str)
def test_what_differs_from_the_first_call_is_named(torch, decision):
    def program():
        torch.grad, torch.dtype = False, "bfloat16"
        return int("x")

    error = caught_from(protected(program, lambda crash: decision))
    assert "gradient mode is False (was True), the default dtype is bfloat16 (was float32)" in notes_of(error)


def test_it_is_said_once(torch):
    def program():
        def inner():
            torch.grad = False
            return int("x")

        return inner()

    assert notes_of(caught_from(protected(program, lambda crash: None))).count("gradient mode") == 1


def test_nothing_is_said_where_nothing_differs(torch):
    error = caught_from(protected(lambda: int("x"), lambda crash: None))
    assert not hasattr(error, "__notes__")


def test_the_start_is_that_of_the_first_call(torch):
    def program(fails):
        return int("x" if fails else "1")

    protected(program, lambda crash: None)
    torch.grad = False  # between `protect` and the call
    program(False)
    torch.grad = True
    assert "gradient mode is True (was False)" in notes_of(caught_from(program, True))


def test_what_was_imported_later_is_not_compared(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)

    def program():
        module = types.ModuleType("torch")
        module.is_grad_enabled = lambda: False
        monkeypatch.setitem(sys.modules, "torch", module)
        return int("x")

    assert not hasattr(caught_from(protected(program, lambda crash: None)), "__notes__")


def test_calls_that_do_not_fail_or_that_go_on_read_nothing(torch):
    def program(out):
        return out(1)

    protected(program, lambda crash: Retry())
    program(Out())
    asked = torch.asked
    for _ in range(5):
        program(Out())
    program(Out(1))
    assert torch.asked == asked == 1


def test_switches_of_the_real_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed for this Python")

    def program():
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            return torch.zeros(2) @ torch.zeros(3)

    try:
        notes = notes_of(caught_from(protected(program, lambda crash: None)))
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)
    for text in (
        "gradient mode is False (was True)",
        "autocast on the CPU is True (was False)",
        "the default dtype is torch.float64 (was torch.float32)",
        "deterministic algorithms is True (was False)",
    ):
        assert text in notes
