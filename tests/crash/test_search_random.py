"""Random nests of try, with and loops: what the search foretells is what then happens."""

from __future__ import annotations

import builtins
import random

import pytest

from crash.search_harness import Problem, Seen, run

MANAGERS = """
from contextlib import contextmanager, suppress
class Quiet:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return True
class Plain:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback): return False
@contextmanager
def keys():
    try: yield
    except KeyError: pass
@contextmanager
def translates():
    try: yield
    except LookupError as e: raise Problem from e
"""
NAMES = ["KeyError", "ValueError", "LookupError", "OSError", "Problem", "RuntimeError"]
QUIET = [
    "len([])", "x = [i for i in range(3)]", "pass", "x = 1 if len([]) else 2", "for i in range(2): len([])",
    "try: len(3)\nexcept TypeError: pass", "with Plain(): len([])",
    "try: raise OSError\nexcept OSError as q: pass",
]  # fmt: skip


class Nest:
    """Makes the lines of one random function body that calls `boom()` once."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return [*self.quiet(1), *self.statement(depth, in_loop), *self.quiet(1)]

    def quiet(self, most: int) -> list[str]:
        count = self.random.randint(0, most)
        return [line for _ in range(count) for line in self.random.choice(QUIET).split("\n")]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        choice = self.random.random()
        if depth <= 0:
            return [self.random.choice(["boom()", "y = len([boom()])", "[boom() for i in range(2)]"])]
        if choice < 0.5:
            return self.tries(depth, in_loop)
        if choice < 0.65:
            return [self.manager(), *indented(self.block(depth - 1, in_loop))]
        if choice < 0.8:
            return ["for i in range(2):", *indented([*self.block(depth - 1, True), "break"])]
        if choice < 0.9:
            return ["if len([]) == 0:", *indented(self.block(depth - 1, in_loop))]
        return [f"def h{depth}():", *indented(self.block(depth - 1, False)), f"h{depth}()"]

    def manager(self) -> str:
        name = self.random.choice(NAMES)
        made = self.random.choice(["Quiet()", "Plain()", f"suppress({name})", "keys()", "translates()"])
        return f"with {made}{self.random.choice(['', ' as w'])}:"

    def types(self) -> str:
        one, other = self.random.choices(NAMES, k=2)
        return self.random.choice([one, one, f"({one}, {other})", "Exception"])

    def tries(self, depth: int, in_loop: bool) -> list[str]:
        lines = ["try:", *indented(self.block(depth - 1, in_loop))]
        star = self.random.random() < 0.15
        clauses = self.random.randint(0, 2)
        for _ in range(clauses):
            self.number += 1
            name = f"e{self.number}"
            body = self.star_body() if star else self.body(in_loop, name)
            lines += [f"except{'*' if star else ''} {self.types()} as {name}:", *indented(body)]
        if not clauses or self.random.random() < 0.3:
            lines += ["finally:", *indented([*self.quiet(2), self.finally_end(in_loop)])]
        return lines

    def star_body(self) -> list[str]:
        return [*self.quiet(1), self.random.choice(["pass", "raise", "raise Problem"])]

    def finally_end(self, in_loop: bool) -> str:
        end = self.random.choice(["return 2", "raise ValueError", "break" if in_loop else "pass"])
        return end if self.random.random() < 0.2 else "pass"

    def body(self, in_loop: bool, name: str) -> list[str]:
        other = self.random.choice(NAMES)
        end = self.random.choice([
            "raise", "pass", f"raise {other}", f"raise {other}('x')", "return 1", f"raise {name}",
            f"raise {other} from {name}", f"z = {name}\nraise z", "break" if in_loop else "pass",
        ]).split("\n")  # fmt: skip
        wrapped = self.random.choice([
            end, end, end, end,
            [f"try: raise {other}", f"except {self.types()}: pass", *end],
            ["try:", *indented(end), "finally: len([])"],
            ["try:", *indented(end), f"except {self.types()}: pass"],
        ])  # fmt: skip
        return [*self.quiet(2), *wrapped]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def exception_for(nest: Nest) -> BaseException:
    made: dict[str, type[Exception]] = {name: getattr(builtins, name, Problem) for name in NAMES}
    first, second = nest.random.choices(NAMES, k=2)
    if nest.random.random() < 0.15:
        return ExceptionGroup("g", [made[first](), made[second]()])
    return made[first]()


def came_out(exception: BaseException, seen: Seen) -> bool:
    """Is what came out the exception, a part of it, or raised because of it?"""
    own = {id(one) for one in parts(exception)}
    waiting, known = [seen.escaped], set[int]()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in known:
            continue
        if id(one) in own:
            return True
        known.add(id(one))
        waiting += [one.__context__, one.__cause__, *parts(one)[1:]]
    return False


def parts(exception: BaseException) -> list[BaseException]:
    inner = exception.exceptions if isinstance(exception, BaseExceptionGroup) else ()
    return [exception, *(part for one in inner for part in parts(one))]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_foretold_happens(seed: int) -> None:
    for number in range(60):
        nest = Nest(1000 * seed + number)
        body = nest.block(nest.random.randint(1, 4), False)
        source = MANAGERS + "def f():\n" + "\n".join(indented(body))
        exception = exception_for(nest)
        seen = run(source, exception)
        assert (seen.handled is None) == came_out(exception, seen), source
