"""Restarts are frozen values whose text is the command that asks for them."""

from __future__ import annotations

import dataclasses

import pytest

from daifu_bc.restarts.restarts import (
    Abort,
    At,
    Jump,
    NextIteration,
    Redo,
    Restart,
    Retry,
    Return,
    Skip,
    Surgery,
    Use,
)

COMMANDS = [
    (Retry(), "retry"),
    (Redo(), "redo"),
    (Skip(), "skip"),
    (NextIteration(), "next-iteration"),
    (NextIteration(1), "next-iteration 1"),
    (Jump(12), "jump 12"),
    (Abort(), "abort"),
    (Use("x"), "use 'x'"),
    (Return(), "return None"),
    (Surgery(), "surgery"),
    (At(1, Skip()), "in frame 1: skip"),
]


@pytest.mark.parametrize(("restart", "command"), COMMANDS)
def test_text_is_the_command(restart: Restart, command: str) -> None:
    assert str(restart) == command


@pytest.mark.parametrize("restart", [restart for restart, _ in COMMANDS])
def test_restarts_are_frozen_values(restart: Restart) -> None:
    assert dataclasses.replace(restart) == restart  # type: ignore[type-var]
    for field in dataclasses.fields(restart):  # type: ignore[arg-type]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(restart, field.name, 1)
