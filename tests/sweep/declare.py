"""What a corpus program says about itself beyond its code: decorators that set one attribute each.

In: a program. Out: the same program, marked. Always true: no mark changes what the program does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def refuses(*labels: str) -> Callable[[Any], Any]:
    """Points whose text holds one of `labels` may be refused (with a reason) instead of recovered."""

    def mark(program: Any) -> Any:
        program.refuses = labels
        return program

    return mark


def repeats(*labels: str) -> Callable[[Any], Any]:
    """Points whose text holds one of `labels` lie in a call of code that is not protected and that has done
    something before: a retry calls it again. Known, and listed (instructions.py finds most by itself).
    """

    def mark(program: Any) -> Any:
        program.repeats = labels
        return program

    return mark


def carried(program: Any) -> Any:
    """Failures are carried elsewhere (task, future, thread), which is not handling: they are all
    recovered.
    """
    program.carried = True
    return program


def undecided(program: Any) -> Any:
    """Only retried: another part of the program waits for ever for what other decisions would leave out."""
    program.undecided = True
    return program


def large(program: Any) -> Any:
    """Protecting it takes seconds: one protected copy serves all points (modes of LARGE_MODES in checks.py)."""
    program.large = True
    return program


def either(*labels: str) -> Callable[[Any], Any]:
    """At points whose text holds one of `labels` both are right: recovered, or left to the program as it
    is.
    """

    def mark(program: Any) -> Any:
        program.either = labels
        return program

    return mark


def module_scope(program: Any) -> Any:
    """The program's whole module is protected with it."""
    program.scope = "module"
    return program
