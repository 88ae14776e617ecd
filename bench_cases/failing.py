"""Faults that come once, for `fault.py`: the function that fails at its n-th call.

In: a function. Out: one that does the same, but for one call. Always true: the failing call does nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any


def once(function: Callable[..., Any], number: int, error: BaseException) -> Callable[..., Any]:
    """`function`, whose call of that number (from 1) raises `error`."""
    calls = 0

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise error
        return function(*args, **kwargs)

    return wrapper


def once_for(function: Callable[..., Any], argument: object, fail: Callable[[], None]) -> Callable[..., Any]:
    """`function`, where `fail` comes first in the first call with that argument, in whichever process that is."""
    due = Path("due")
    due.touch()

    @functools.wraps(function)
    def wrapper(given: object) -> Any:
        if given == argument and due.exists():
            due.unlink()
            fail()
        return function(given)

    return wrapper
