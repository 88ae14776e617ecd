"""Functions of any number of statements, as varied as real ones.

In: a number of statements. Out: a program whose `subject(boom)` calls `boom()` in its middle.
Always true: exactly that many statements run or not in `subject`, `return` and the call included.
"""

from __future__ import annotations

from perf.twins import Program

# Ten statements: assignments, operators, calls, nested calls, containers, a branch, a loop, a try.
TEN = """\
    x = x + 1
    y = abs(x)
    z = max(abs(y), min(x, 3))
    if x > y:
        x = y - 1
    for i in pair:
        y += i
    text = f"{x} {y}"
    pair = [x & 7, len(text)]
    z ^= pair[0] * 2
"""


def statements(number: int) -> str:
    """`number` statements of a function's body."""
    return TEN * (number // 10) + "    x = x + 1\n" * (number % 10)


def long_function(number: int) -> Program:
    """A function of `number` statements, at least 4; it fails where `boom` does, halfway through."""
    filler = number - 3
    before, after = statements(filler // 2), statements(filler - filler // 2)
    start = "def subject(boom):\n    x, y, z, pair = 1, 2, 3, [1, 2]\n"
    text = f"{start}{before}    boom()\n{after}    return x\n"
    return Program(f"function of {number:,} statements", text)
