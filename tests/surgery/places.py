"""Places in which a piece of a program stands: loops of depth 0 to 2, generators, methods, closures, module code...

Each is a text with `BODY` where the piece comes (it uses `i`), defines `f`, and is run by `RUN`.
"""

# ruff: noqa: E501  (texts are tested as they stand, one on a line)

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """`passes`: values of `i`. `before`, `after`: events around each pass; `first`, `last`: around all of them."""

    name: str
    text: str
    run: str
    passes: tuple[int, ...] = (0, 1, 2)
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    target: str = "f"


CALLS = "\n".join(f"f({i})" for i in range(3))
PLACES = [
    Place("a_function", "def f(i):\n    BODY\n    return i\n", CALLS),
    Place("a_loop", "def f():\n    for i in range(3):\n        BODY\n    say('end', 9)\n", "f()", last=("end9",)),
    Place(
        "two_loops",
        "def f():\n    for k in items():\n        say('k', k)\n        for i in range(k, k + 1):\n            BODY\n",
        "f()",
        before=("k{i}",),
    ),
    Place("a_while_loop", "def f():\n    i = 0\n    while i < 3:\n        BODY\n        i += 1\n", "f()"),
    Place(
        "a_generator",
        "def f():\n    for i in range(3):\n        BODY\n        yield i\n",
        "for got in f():\n    say('got', got)",
        after=("got{i}",),
    ),
    Place(
        "a_coroutine",
        "async def f():\n    for i in range(3):\n        await pause()\n        BODY\n",
        "drive(f())",
    ),
    Place(
        "an_async_generator",
        "async def f():\n    for i in range(3):\n        BODY\n        yield i\n",
        "drive(each(f()))",
        after=("got{i}",),
    ),
    Place(
        "a_method",
        "class C:\n    def __private(self): return 'p'\n    def f(self, i):\n        BODY\n        say(self.__private(), i)\n        super().__init__()\n",
        "\n".join(f"C().f({i})" for i in range(3)),
        after=("p{i}",),
        target="C.f",
    ),
    Place(
        "a_closure",
        "def make(start):\n    total = start\n    def f(i):\n        nonlocal total\n        total += 1\n        BODY\n        say('t', total)\n    return f\nf = make(10)\n",
        "\n".join(f"f({i})" for i in range(3)),
        after=("t{t}",),
    ),
    Place(
        "a_with_block",
        "def f():\n    with m(7):\n        for i in range(3):\n            BODY\n",
        "f()",
        first=("enter7",),
        last=("exit7",),
    ),
    Place(
        "a_try_block",
        "def f():\n    for i in range(3):\n        try:\n            BODY\n        finally:\n            say('z', i)\n",
        "f()",
        after=("z{i}",),
    ),
    Place(
        "a_finally_block",
        "def f():\n    for i in range(3):\n        try:\n            pass\n        finally:\n            BODY\n",
        "f()",
    ),
    Place("module_code", "for i in range(3):\n    BODY\n", "", target=""),
]  # fmt: skip
