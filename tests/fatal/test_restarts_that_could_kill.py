"""Restarts and edits that leave names unbound, drop results or enter odd places: an exception at worst."""

from __future__ import annotations

import pytest

from fatal.in_subprocess import run

HEAD = """
import daifu_bc
from daifu_bc import *

class Boom(Exception):
    pass

def once(value=None, seen=set()):
    if value not in seen:
        seen.add(value)
        raise Boom(value)
    return value

def jump(crash, *steps):
    lines = [crash.lineno + step for step in steps if crash.can(Jump(crash.lineno + step)) is None]
    return Jump(lines[0]) if lines else Skip()

def delete_all(crash):
    for name in list(crash.locals):
        try:
            del crash.locals[name]
        except (KeyError, TypeError, ValueError):
            pass

def play(program, decide, bound=12):
    asked = []
    def policy(crash):
        asked.append(type(crash.exception).__name__)
        return decide(crash) if len(asked) < bound else Abort()
    daifu_bc.protect(program, on_crash=policy, scope="nested")
    try:
        print("result", program())
    except Exception as error:
        print("raised", type(error).__name__)
    print("asked", *asked)
"""

PROGRAMS = {
    "a local that is bound by the statement": """
def program():
    first = 1
    second = once("x")
    return first + second, [second for _ in range(2)], (lambda: first)()
""",
    "several names at once": """
def program():
    a, (b, *c) = once("x"), once("y")
    d = a, b
    a, b = b, a
    return a, b, c, d
""",
    "a loop variable": """
def program():
    for i in once("x"):
        j = i + 1
        once(("y", i))
        k = i, j
    return i, j, k
""",
    "a cell": """
def program():
    value = once("x")
    def read():
        return value
    once("y")
    return read(), value
""",
    "a with target": """
import contextlib
def program():
    with contextlib.nullcontext(once("x")) as a, contextlib.nullcontext(once("y")) as b:
        c = once("z")
    return a, b, c
""",
    "the exception of a handler": """
def program():
    try:
        {}["missing"]
    except KeyError as error:
        text = once("x")
        kept = error, text
    return kept, text
""",
    "a comprehension": """
def program():
    i = once("w")
    found = [once(("x", i)) for i in range(3) if once(("y", i)) or True]
    return i, found, {i: once(("z", i)) for i in range(2)}
""",
    "a generator": """
def program():
    def items():
        a = once("x")
        yield a
        b = yield once("y")
        yield a, b
    return list(items())
""",
    "deletions": """
def program():
    a = 1
    del a
    a = once("x")
    once("y")
    del a
    a = 2
    return a
""",
    "match": """
def program():
    match once("x"), {"k": once("y")}:
        case [a, {"k": b, **rest}]:
            once("z")
    return a, b, rest
""",
    "named expressions": """
def program():
    if (a := once("x")) and (b := once("y")):
        pass
    while (c := once("z")) is None:
        break
    return a, b, c
""",
    "arguments of calls": """
def program(*args, **keywords):
    text = f"{once('a')!r:>{once(9)}}" if once(True) else ""
    return dict(*args, k=once("x"), **{"m": once("y")}, **keywords), print(*[], sep=once("")), text
""",
    "chains": """
def program():
    total = once(1) < once(2) < once(3)
    out = {}
    out[once("i")] = out[once("j")] = total
    out["i"] += once(4)
    return out, total
""",
}

DECIDERS = {
    "skip": "lambda crash: Skip()",
    "retry": "lambda crash: Retry()",
    "redo": "lambda crash: Redo()",
    "next or skip": "lambda crash: NextIteration() if crash.can(NextIteration()) is None else Skip()",
    "use None": "lambda crash: Use(None) if crash.can(Use(None)) is None else Skip()",
    "use a list": "lambda crash: Use([1, [2]]) if crash.can(Use([1])) is None else Skip()",
    "jump down": "lambda crash: jump(crash, 1, 2, 3, 4)",
    "jump up": "lambda crash: jump(crash, -1, -2, -3)",
    "delete all, retry": "lambda crash: delete_all(crash) or Retry()",
    "delete all, skip": "lambda crash: delete_all(crash) or Skip()",
    "delete all, redo": "lambda crash: delete_all(crash) or Redo()",
    "drop finished": "lambda crash: crash.finished.clear() or Retry()",
    "return": "lambda crash: Return(None)",
    "the outermost frame": "lambda crash: At(len(crash.frames) - 1, Retry())",
}


@pytest.mark.parametrize("keep", ["calls", "all"])
@pytest.mark.parametrize("decider", DECIDERS)
def test_no_program_is_killed(decider, keep):
    """All programs in one interpreter: each says how it ended, so that the one that killed it is known."""
    plays = "".join(
        f"\nprint('program', {name!r}, flush=True)\nonce.__defaults__ = (None, set())\n{text}\nplay(program, decide)\n"
        for name, text in PROGRAMS.items()
    )
    head = HEAD.replace('scope="nested"', f'scope="nested", keep={keep!r}')
    ended = run(f"{head}\ndecide = {DECIDERS[decider]}\n{plays}\nprint('survived')")
    assert ended.status == 0 and ended.output.endswith("survived\n"), ended
    assert "internal error" not in ended.output and "SystemError" not in ended.output
    assert ended.output.count("asked") == len(PROGRAMS)
