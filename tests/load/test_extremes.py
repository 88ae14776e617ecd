"""Crashes where there is no room, and where the interpreter is about to end: recovered or let go, never killed."""

from __future__ import annotations

import pytest

from fatal.in_subprocess import run

HEAD = """
import daifu_bc
from daifu_bc import Retry

class Boom(Exception):
    pass

asked = []
def policy(crash):
    asked.append(crash.function)
    return Retry()

def failing(times=1, error=Boom):
    left = [times]
    def call(value=None):
        if left[0]:
            left[0] -= 1
            raise error(value)
        return value
    return call

def protected(function):
    return daifu_bc.protect(function, on_crash=policy, scope="nested")
"""


def survives(text, *said):
    """The program ends by itself and says these."""
    ended = run(HEAD + text)
    assert ended.status == 0, ended
    assert "internal error" not in ended.output, ended
    for words in said:
        assert words in ended.output, ended


def test_a_crash_at_recursion_depth_900():
    survives(
        """
call = failing()
@protected
def program():
    def down(n):
        return call(n) if n == 900 else down(n + 1) + 1
    return down(0)
print("result", program(), len(asked))
""",
        "result 1800 1",
    )


def test_ninety_crashes_on_the_way_up_from_a_deep_recursion():
    survives(
        """
calls = {}
@protected
def program():
    def down(n):
        below = down(n + 1) if n < 600 else 0
        if n % 7 == 0:
            calls.setdefault(n, failing())(n)
        return below + 1
    return down(0)
print("result", program(), len(asked))
""",
        "result 601 86",
    )


def test_running_out_of_stack_goes_out_as_it_is():
    survives(
        """
@protected
def program():
    def down(n):
        return down(n + 1)
    down(0)
try:
    program()
except RecursionError as error:
    print("recursion", len(asked) <= 200)
""",
        "recursion True",
    )


WHERE = {
    "__del__": """
class Dies:
    def __del__(self):
        run()
Dies()
""",
    "a weak reference's callback": """
import weakref
class Dies:
    pass
one = Dies()
reference = weakref.ref(one, lambda _: run())
del one
""",
    "an atexit function": """
import atexit
atexit.register(run)
""",
    "the end of the interpreter": """
class Dies:
    def __init__(self):
        self.run, self.self = run, self
    def __del__(self):
        self.run()
left = Dies()
import builtins
builtins.held_to_the_end = left
""",
    "a thread that outlives the main one": """
import threading
threading.Thread(target=lambda: (threading.main_thread().join(), run())).start()
""",
    "the collector": """
import gc
class Dies:
    def __init__(self):
        self.me = self
    def __del__(self):
        run()
Dies()
gc.collect()
""",
}


@pytest.mark.parametrize("where", WHERE)
def test_a_crash_in(where):
    """At the very end modules may be gone: there it is enough that nothing is killed."""
    said = () if where == "the end of the interpreter" else ("went on x",)
    survives(
        f"""
call = failing()
@protected
def run():
    print("went on", call("x"), flush=True)
{WHERE[where]}
""",
        *said,
    )


def test_memory_runs_out_and_is_freed_by_the_policy():
    """The limit holds while the policy runs; what it frees lets the program go on."""
    survives(
        """
import resource
held = []
def policy(crash):
    asked.append(type(crash.exception).__name__)
    held.clear()
    return Retry()
def allocate():
    return bytearray(64 << 20)
@protected
def program():
    size = 0
    for _ in range(40):
        block = allocate()
        held.append(block)
        size += len(block)
    return size >> 20
soft = 1 << 30
resource.setrlimit(resource.RLIMIT_AS, (soft, resource.RLIM_INFINITY))
print("result", program(), set(asked))
""",
        "result 2560 {'MemoryError'}",
    )


def test_memory_that_stays_out_lets_the_exception_go():
    survives(
        """
import resource
@protected
def program():
    held = []
    while True:
        held.append(bytearray(1 << 20))
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, resource.RLIM_INFINITY))
try:
    program()
except MemoryError:
    print("let go")
""",
        "let go",
    )


def test_file_descriptors_run_out():
    survives(
        """
import os, resource
held = []
def policy(crash):
    asked.append(crash.exception.errno)
    while held:
        os.close(held.pop())
    return Retry()
@protected
def program():
    opened = 0
    for _ in range(200):
        held.append(os.open(os.devnull, os.O_RDONLY))
        opened += 1
    return opened
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
print("result", program(), set(asked))
""",
        "result 200 {24}",
    )
