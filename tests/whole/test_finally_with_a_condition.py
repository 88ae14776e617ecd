"""A `finally` that may leave by return or break: where its condition is false, a crash in its `try` is asked."""

from __future__ import annotations

from daifu_bc import Retry
from whole.crash_at import crash_at


@crash_at(1, Retry())
def test_a_return_that_will_not_be_reached(out):
    stopped = False
    for number in range(3):
        try:
            out(number)
        finally:
            out(f"done {number}")
            if stopped:
                return None
    return "end"


@crash_at(1, Retry())
def test_a_break_at_another_iteration(out):
    for number in range(4):
        try:
            out(number)
        finally:
            if number == 2:
                break
    return number


@crash_at(1, Retry())
def test_a_handler_around_the_call_that_is_strict(out, strict=True):
    def step():
        return out(1)

    try:
        step()
    except Exception:
        out("failed")
        if strict:
            raise
