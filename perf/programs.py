"""Small programs whose protected twin is compared with the plain one: loops, calls, raising and catching.

Always true: each is as tight as Python gets, so that the ratio is the worst that a program can see.
"""

from __future__ import annotations

from collections.abc import Callable

from perf.subject import Function, protect
from perf.twins import Program

LOOP = 1.01
NESTED_CALLS = 1.10
CALL_NESTED = 1.01
CALL_SWAPPED = 1.25
CAUGHT_BY_EXCEPTION = 1.05
CAUGHT_BY_NAME = 2.0

LOOPS = [
    Program(
        "loop: arithmetic",
        """
        def subject():
            total = 0
            for i in range(5_000):
                total += i * 3 - (i >> 1)
            return total
        """,
        LOOP,
    ),
    Program(
        "loop: while",
        """
        def subject():
            i = total = 0
            while i < 5_000:
                total = total + i
                i = i + 1
            return total
        """,
        LOOP,
    ),
    Program(
        "loop: try/except inside",
        """
        def subject():
            total = 0
            for i in range(5_000):
                try:
                    total += i
                except ValueError:
                    total = 0
            return total
        """,
        LOOP,
    ),
    Program(
        "loop: nested loops",
        """
        def subject():
            total = 0
            for i in range(70):
                for j in range(70):
                    total += i ^ j
            return total
        """,
        LOOP,
    ),
    Program(
        "loop: 10 statements",
        """
        def subject():
            a = b = c = d = e = 1
            for i in range(1_000):
                a = b + i
                b = c - i
                c = d ^ i
                d = e & 1023
                e = a | 1
                a = a & 4095
                b = b & 4095
                c = c + a
                c = c & 4095
                e = e & 4095
            return a + b + c + d + e
        """,
        LOOP,
    ),
]

ONE_CALL = """
                for _ in range(3_000):
                    subject()
"""
TEN_CALLS = """
                for _ in range(300):
                    subject(); subject(); subject(); subject(); subject()
                    subject(); subject(); subject(); subject(); subject()
"""


def swap_own_code(function: Function) -> Function:
    """What swapping `__code__` costs by itself: since 3.13 calls of such a function are never specialised."""
    function.__code__ = function.__code__.replace()
    return function


def swapped(what: str, calls: str, target: float | None, change: Callable[[Function], Function]) -> Program:
    """Calls of a function whose code was changed in place."""
    text = f"""
        def subject():
            pass

        def workload(subject):
            def calls():
                {calls.strip()}
            return calls
        """
    return Program(f"call of a function that does nothing: swapped in place, {what}", text, target, change)


CALLS = [
    Program(
        "loop: one call nested in another",
        """
        def subject():
            def f(x):
                return x + 1

            def g(x):
                return x * 2

            total = 0
            for i in range(2_000):
                total = f(g(i))
            return total
        """,
        NESTED_CALLS,
    ),
    Program(
        "loop: f(a[i] * 2)",
        """
        def subject():
            def f(x):
                return x + 1

            a = list(range(2_000))
            total = 0
            for i in range(2_000):
                total = f(a[i] * 2)
            return total
        """,
        NESTED_CALLS,
    ),
    Program(
        "call of a function that does nothing: nested code",
        """
        def subject():
            def nothing():
                pass
            return nothing

        def workload(subject):
            nothing = subject()
            def calls():
                for _ in range(300):
                    nothing(); nothing(); nothing(); nothing(); nothing()
                    nothing(); nothing(); nothing(); nothing(); nothing()
            return calls
        """,
        CALL_NESTED,
    ),
    swapped("one in a loop", ONE_CALL, CALL_SWAPPED, protect),
    swapped("ten in a row", TEN_CALLS, CALL_SWAPPED, protect),
    swapped("one in a loop; unprotected, a copy of its own code", ONE_CALL, None, swap_own_code),
    swapped("ten in a row; unprotected, a copy of its own code", TEN_CALLS, None, swap_own_code),
]


def raising(what: str, raises: str, handler: str, target: float | None) -> Program:
    """Raise and catch, a thousand times."""
    text = f"""
        def subject():
            def fails():
                raise ValueError

            caught = 0
            for i in range(1_000):
                try:
                    {raises}
                except {handler}:
                    caught += 1
            return caught
        """
    return Program(f"raise and catch: {what}", text, target)


RAISING = [
    raising("except Exception", "raise ValueError", "Exception", CAUGHT_BY_EXCEPTION),
    raising("except Exception, raised by a builtin", "int('x')", "Exception", CAUGHT_BY_EXCEPTION),
    raising("a named class", "raise ValueError", "ValueError", CAUGHT_BY_NAME),
    raising("a named class, raised by a builtin", "int('x')", "ValueError", CAUGHT_BY_NAME),
    raising("except Exception, raised in a nested function", "fails()", "Exception", None),
    raising("a named class, raised in a nested function", "fails()", "ValueError", None),
]

PROGRAMS = [*LOOPS, *CALLS, *RAISING]
